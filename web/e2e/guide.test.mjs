// The examples and the tour, as somebody new to this would use them.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { harness } from './harness.mjs';
import { eventually } from './page.mjs';

const promises = JSON.parse(
  readFileSync(new URL('../src/examples/promises.json', import.meta.url), 'utf8'),
);
const { visit } = harness();

const groups = [
  'First steps',
  'Choosing devices',
  'Sharing a device',
  'Pods and nodes',
  'When something is wrong',
  'Beyond the scheduler',
];

describe('examples', () => {
  const seen = [];
  for (const group of groups) {
    visit(`keep their promises, before and after the change: ${group}`, {}, async (visit) => {
      const { page } = visit;
      await visit.answered();
      const section = page.locator('.menu section', { has: page.getByText(group) });
      for (const title of await section.locator('strong').allTextContents()) {
        await visit.example(title);
        const id = await eventually(
          () => page.locator('.guide').getAttribute('data-example'),
          (found) => !seen.includes(found),
          `the guide of ${title}`,
        );
        seen.push(id);
        await promised(visit, id, promises[id].before);
        await page.getByRole('button', { name: 'Change it', exact: true }).click();
        await promised(visit, id, promises[id].after);
      }
      const last = seen.at(-1);
      await page.getByRole('button', { name: 'Change it back' }).click();
      await promised(visit, last, promises[last].before);
    });
  }
  it('are all under one of the headings', () => {
    assert.deepEqual(seen.toSorted(), Object.keys(promises).toSorted());
  });
});

/** Waits until the pods on the screen are those that are promised. */
async function promised(visit, id, lines) {
  const pods = lines.flatMap((line) => {
    const [, name, outcome] = /^pod (\S+) (\S+)/.exec(line) ?? [];
    return name ? [`${name} ${outcome}`] : [];
  });
  await visit.answered();
  for (const pod of pods) {
    const [name, outcome] = pod.split(' ');
    await visit
      .pod(name, outcome)
      .first()
      .waitFor()
      .catch(() => assert.fail(`${id}: pod ${pod} did not come`));
  }
}

describe('the tour', () => {
  visit('shows why the MIG and the vGPU device exclude each other', {}, async (visit) => {
    const { page } = visit;
    await visit.answered();
    await visit.example('One device');
    await page.getByRole('button', { name: 'Tour', exact: true }).click();
    const step = (n) => page.getByRole('region', { name: `Tour, step ${n} of 5` });
    await step(1).waitFor();
    assert.match(await step(1).innerText(), /gpu-0-mig and gpu-0-vgpu are two ways to use one GPU/);
    await eventually(() => line(visit), /name: gpu-0-mig/);
    // The focus is at the step, so that the keyboard goes on from there.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await step(2).waitFor();
    await eventually(() => line(visit), /count: 2/);
    await step(2).getByRole('button', { name: 'Next' }).click();
    await step(3).waitFor();
    assert.match(
      await step(3).innerText(),
      /the MIG and the vGPU device cannot be allocated together/,
    );
    // The answer itself says so in one sentence.
    await page
      .locator('.panel', {
        hasText: /gpu-0-mig offers \[mig\], gpu-0-vgpu offers \[vgpu\], nothing in common/,
      })
      .waitFor();
    await step(3).getByRole('button', { name: 'Next' }).click();
    await step(4).getByRole('button', { name: 'Change it' }).click();
    await visit.pod('two', 'Scheduled').first().waitFor();
    await step(4).getByRole('button', { name: 'Next' }).click();
    await step(5).getByRole('button', { name: 'Back' }).click();
    await step(4).getByRole('button', { name: 'Back' }).click();
    await step(3).waitFor();
    await visit.pod('two', 'Unschedulable').first().waitFor();
    await page.keyboard.press('Escape');
    await step(3).waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'What to try' }).waitFor();
  });
});

async function line(visit) {
  const number = await visit.cursorLine();
  return (await visit.page.locator('.cm-activeLine').innerText()) + ` (${number})`;
}
