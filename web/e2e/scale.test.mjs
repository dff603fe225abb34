// Large bundles, and how long everything takes. Real figures are printed; the
// limits are wide, because the machines that run this are busy.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fleet } from './fleet.mjs';
import { harness } from './harness.mjs';
import { longestTask, median, watchTasks } from './measure.mjs';
import { Visit } from './page.mjs';

const { started, visit } = harness();

/** Pastes a text over all there is; a long one is not typed. */
async function paste(page, text) {
  await page.locator('.cm-content').focus();
  await page.keyboard.press('Control+a');
  await page.evaluate((pasted) => {
    const data = new DataTransfer();
    data.setData('text/plain', pasted);
    const { shadowRoot } = document.querySelector('.editor');
    shadowRoot.activeElement.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
    );
  }, text);
}

describe('1,000 nodes', () => {
  visit('are drawn in groups, searched and explained', {}, async (visit, context) => {
    const { page } = visit;
    await visit.answered();
    await watchTasks(page);
    await paste(page, fleet(1000));
    // Half of the nodes are of one model each, and one has given two devices away.
    const card = page.locator('.card[data-alike="500"]');
    await card.first().waitFor({ timeout: 170_000 });
    context.diagnostic(
      `longest task while 1,000 nodes are answered: ${await longestTask(page)} ms`,
    );
    assert.equal(await page.locator('.card').count(), 3);
    assert.ok((await page.locator('.cell').count()) <= 12);

    await card.getByRole('button', { name: 'and 499 nodes like it' }).click();
    assert.ok((await page.locator('.row').count()) < 40, 'only rows in sight are drawn');
    await page.locator('.rows').evaluate((rows) => (rows.scrollTop = 250 * 40));
    const row = page.locator('.row .compact', { hasText: 'n0501' });
    await row.click();
    await page.locator('.card[data-node=n0501] .cell').first().waitFor();
    await page.locator('.card[data-node=n0501] .cell-name').first().click();
    await page.locator('.cm-activeLine', { hasText: 'name: gpu-0' }).waitFor();

    const search = page.getByRole('searchbox', { name: /^Search nodes/ });
    await search.fill('n0042');
    await page.locator('.card[data-node=n0042][data-alike="1"]').waitFor();
    context.diagnostic(`longest task while searching: ${await longestTask(page)} ms`);
    await search.fill('');

    await page.locator('[data-chip="default/waits"]').click();
    await page
      .locator('.cell[data-look=refused]', { hasText: 'selector' })
      .first()
      .waitFor({ timeout: 170_000 });
    const longest = await longestTask(page);
    context.diagnostic(`longest task while one pod is explained on 1,000 nodes: ${longest} ms`);
    assert.ok(longest < 1000, `the page stood still for ${longest} ms`);
  });
});
