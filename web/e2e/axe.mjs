// What every picture of the page has to stand up to.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Nothing for axe to say, and nothing wider than the window. */
export async function check(page, where) {
  await still(page);
  await judge(page, where);
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  assert.equal(overflow, 0, `${where}: wider than the window`);
}

/** Nothing for axe to say. */
export async function judge(page, where) {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'],
      resultTypes: ['violations'],
    }),
  );
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map((n) => n.html).join(' | ')}`),
    [],
    where,
  );
}

/** Waits until all that fades or moves to its place has done so. */
async function still(page) {
  await page.evaluate(async () => {
    const frame = () => new Promise(requestAnimationFrame);
    const moving = () => {
      const shadow = document.querySelector('.editor')?.shadowRoot;
      const all = [document, ...(shadow ? [shadow] : [])].flatMap((root) => root.getAnimations());
      // What blinks has no end.
      return all.filter(
        ({ effect, playState }) =>
          playState === 'running' && effect.getComputedTiming().endTime !== Infinity,
      );
    };
    do {
      await Promise.allSettled(moving().map(({ finished }) => finished));
      // What has changed just now begins to move with the next frame.
      await frame();
      await frame();
    } while (moving().length > 0);
  });
}
