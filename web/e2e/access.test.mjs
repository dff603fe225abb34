// For everybody: what the other files do not look at with axe, and sizes,
// motion and languages.

import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { check } from './axe.mjs';
import { harness } from './harness.mjs';

const { visit } = harness();

const looks = {
  'light, 2560 px': { viewport: { width: 2560, height: 1300 }, colorScheme: 'light' },
  'dark, 360 px': { viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
  // What a window of 1280 x 800 has at 200 % zoom.
  'more contrast, 200 % zoom': {
    viewport: { width: 640, height: 400 },
    deviceScaleFactor: 2,
    contrast: 'more',
  },
};

describe('tour, texts and languages are accessible', () => {
  for (const [look, options] of Object.entries(looks)) {
    visit(look, options, async (visit) => {
      const { page } = visit;
      await visit.answered();
      await check(page, 'a hint');
      await page.getByRole('button', { name: 'Tour', exact: true }).click();
      await check(page, 'the tour');
      await page.keyboard.press('Escape');
      if (await page.locator('.page.narrow').count()) await visit.tab('Text');
      await page.getByRole('button', { name: 'New text' }).click();
      await page.getByRole('button', { name: 'Rename' }).click();
      await check(page, 'naming a text');
    });
  }
});

describe('without motion', () => {
  visit('nothing moves for those who ask for that', { reducedMotion: 'reduce' }, async (visit) => {
    const { page } = visit;
    await visit.answered();
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await visit.notice('Link copied');
    await visit.example('One device');
    const moving = await page.evaluate(() =>
      document.getAnimations().map((animation) => animation.effect.target.className),
    );
    assert.deepEqual(moving, []);
  });
});

describe('in Chinese', () => {
  visit(
    'the page speaks it at once, and keeps to it; what the core says is English',
    {},
    async (visit) => {
      const { page } = visit;
      await visit.answered();
      await page.getByRole('combobox', { name: 'Language' }).selectOption('zh');
      await page.getByRole('tab', { name: '分配' }).waitFor();
      assert.equal(await page.evaluate(() => document.documentElement.lang), 'zh-Hans');
      await page.getByRole('button', { name: '导览' }).click();
      assert.match(await page.locator('.tour').innerText(), /下一步/);
      await page.keyboard.press('Escape');
      await page.locator('.panel', { hasText: 'nothing in common' }).waitFor();
      await check(page, 'Chinese');
      await page.reload();
      await page.getByRole('tab', { name: '问题' }).click();
      await page.getByRole('button', { name: '示例' }).click();
      await page.getByRole('heading', { name: '第一步' }).waitFor();
      await page.locator('.menu-item', { hasText: 'Pod 申请一块 GPU' }).click();
      await page.locator('.guide[data-example=one-device]', { hasText: '比现有更多' }).waitFor();
    },
  );
  visit('the browser decides at first', { locale: 'zh-CN' }, async (visit) => {
    await visit.page.getByRole('tab', { name: '问题' }).waitFor();
  });
});
