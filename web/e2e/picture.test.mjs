// The answer as a picture: tiles, bars, links, and the way to the text and back.

import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { harness } from './harness.mjs';

const { visit } = harness();
const mig = '[data-cell="gpu.example.com/gpu-pool/gpu-0-mig"]';
const vgpu = '[data-cell="gpu.example.com/gpu-pool/gpu-0-vgpu"]';

describe('picture', () => {
  visit('shows who holds what, and how much of the counters', {}, async (visit) => {
    const { page } = visit;
    await visit.answered();
    await page.locator(`${mig}[data-look=held]`).waitFor();
    assert.equal(await page.locator(vgpu).getAttribute('data-look'), 'free');
    // The same letter on the tile, in the bar and on the pod's chip.
    const letter = await page.locator(`${mig} .cell-mark`).innerText();
    assert.equal(await page.locator('[data-chip="default/one"] .mark').innerText(), letter);
    const bar = page.locator('[data-set=gpu-0-memory] [data-bar=memory]');
    assert.match(await bar.innerText(), /4Gi of 8Gi[\s\S]*gpu-0-mig 4Gi \(default\/one/);
    const [part, whole] = await bar
      .locator('.part, .bar')
      .evaluateAll((all) => all.map((e) => e.getBoundingClientRect().width).sort((a, b) => a - b));
    assert.ok(Math.abs(part / whole - 0.5) < 0.03, `${part} of ${whole}`);
    assert.match(await page.locator(vgpu).innerText(), /vgpu\s*memory 4Gi/);
  });

  visit('leads from a tile to its line and back, with keys too', {}, async (visit) => {
    const { page } = visit;
    await visit.answered();
    await page.locator(`${mig} .cell-name`).click();
    await page.locator(`${mig}.current`).waitFor();
    await page.locator('.cm-activeLine', { hasText: 'name: gpu-0-mig' }).waitFor();
    // Whatever moves under the pointer would be pointed at.
    await page.mouse.move(0, 0);
    await page.locator(`${vgpu} .cell-name`).focus();
    await page.locator('.cm-hint', { hasText: 'name: gpu-0-vgpu' }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator(`${vgpu}.current`).waitFor();
    await page.locator('.cm-activeLine', { hasText: 'name: gpu-0-vgpu' }).waitFor();
    await page.locator('.cm-hint').waitFor({ state: 'detached' });
    // From the text: any line of the device lights its tile, another one none.
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.locator(`${vgpu}.current`).waitFor();
    assert.equal(await page.locator('.cell.current').count(), 1);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await page.locator(`${mig}.current`).waitFor();
    await page.keyboard.press('Control+Home');
    await page.locator('.cell.current').waitFor({ state: 'detached' });
  });

  visit('shows shares of capacity, and links what constraints tie together', {}, async (visit) => {
    const { page } = visit;
    await visit.example('Consumable capacity');
    const eth = page.locator('[data-cell$="/eth1"]');
    await eth.locator('[data-bar=bandwidth]').waitFor();
    assert.match(await eth.innerText(), /2G of 10G[\s\S]*stream-a[\s\S]*stream-b/);
    assert.equal(await eth.locator('.part').count(), 2);
    await visit.example('Distinct attribute');
    await page.locator('path[data-link*="distinctAttribute"]').waitFor({ state: 'attached' });
    assert.match(
      await page.locator('.link-list').innerText(),
      /two-cards: distinctAttribute .*eth1.*eth2/,
    );
  });

  visit('finds nodes, devices and reasons by words', {}, async (visit) => {
    const { page } = visit;
    await visit.answered();
    const search = page.getByRole('searchbox', { name: /^Search nodes/ });
    await search.fill('nothing of that name');
    await page.locator('.card').waitFor({ state: 'detached' });
    await search.fill('vgpu');
    await page.locator(vgpu).waitFor();
    await page.locator('[data-chip="default/two"]').click();
    await search.fill('group');
    await page.locator(`${vgpu}[data-look=refused]`).waitFor();
  });
});

describe('why', () => {
  visit('says on each tile why it is not for the chosen pod', {}, async (visit) => {
    const { page } = visit;
    await visit.answered();
    await page.locator('[data-chip="default/two"]').click();
    await page.locator(`${vgpu}[data-look=refused]`, { hasText: 'group' }).waitFor();
    await page.locator('.chosen', { hasText: 'must share a compatibility group' }).waitFor();
    await page.getByRole('button', { name: 'What would help' }).click();
    const why = page.locator('[data-subject="default/two"]');
    await why.locator('[data-code=compatibility-groups]').first().waitFor();
    await page
      .locator('#announcer', { hasText: /default\/two stays pending.*would help/ })
      .waitFor({ state: 'attached' });
  });

  visit('applies what would help, compares, and takes it back', {}, async (visit) => {
    const { page } = visit;
    await visit.answered();
    const before = await visit.text();
    await visit.tab('Why');
    const why = page.locator('[data-subject="default/two"]');
    const fix = why.locator('.fix').first();
    await fix.waitFor();
    const lines = await fix.locator('.edit > div').allInnerTexts();
    assert.match(lines[0].replace(/\s+/g, ' ').trim(), /^\d+- count: 2$/);
    assert.match(lines[1].replace(/\s+/g, ' ').trim(), /^\+ count: 1$/);
    await fix.getByRole('button', { name: /^Apply/ }).press('Enter');
    await page.locator('[data-subject="default/two"][data-outcome=Scheduled]').waitFor();
    const compare = page.locator('.compare');
    await compare
      .locator('[data-change=two]', {
        hasText: /stays pending.*scheduled on worker-1 with gpu-0-mig/,
      })
      .waitFor();
    await compare.locator('[data-change=one]', { hasText: 'stays pending' }).waitFor();
    await visit.expectText(before.replace(/^( +)count: 2$/m, '$1count: 1'));
    await page.locator('.capacity[data-copies="0"]').waitFor();

    await visit.editor.focus();
    await page.keyboard.press('Control+z');
    await page.locator('[data-subject="default/two"][data-outcome=Unschedulable]').waitFor();
    await page.locator('.compare[data-changed="0"]').waitFor();
    await visit.expectText(before, 'undo undoes it');
    await fix.getByRole('button', { name: /^Apply/ }).click();
    await compare.locator('[data-change=two]').waitFor();
    await page.getByRole('button', { name: 'Take it back' }).click();
    await page.locator('[data-subject="default/two"][data-outcome=Unschedulable]').waitFor();
    await compare.waitFor({ state: 'detached' });
    await visit.expectText(before);
  });

  visit('shows what a counter lacks as a ghost', {}, async (visit) => {
    const { page } = visit;
    await visit.example('Shared counters');
    const pending = page.locator('.chip.bad').first();
    await pending.click();
    await page.locator('.part.ghost').first().waitFor();
    await page
      .locator('.bar-missing', { hasText: /would take .* is left/ })
      .first()
      .waitFor();
  });

  visit('counts how many more', {}, async (visit) => {
    const { page } = visit;
    await visit.example('Consumable capacity');
    await page.locator('[data-chip="default/stream-a"]').click();
    await page.getByRole('button', { name: 'How many more' }).click();
    const capacity = page.locator('.capacity');
    await capacity.waitFor();
    assert.match(await capacity.innerText(), /8 copies more find a place on 1 node/);
  });
});
