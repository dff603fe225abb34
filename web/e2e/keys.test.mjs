// The keyboard does all; what is on the screen can be taken elsewhere.

import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { harness } from './harness.mjs';

const { visit } = harness();

describe('keys', () => {
  visit('find views, examples, gates and objects with Control and K', {}, async (visit) => {
    const { page } = visit;
    await visit.answered();
    const find = async (words) => {
      await page.keyboard.press('Control+k');
      await page.locator('.palette-input:focus').waitFor();
      await page.keyboard.type(words);
      await page.locator('.palette-item[aria-selected=true]').waitFor();
      await page.keyboard.press('Enter');
      await page.locator('.palette[open]').waitFor({ state: 'detached' });
    };
    await visit.editor.focus();
    await find('view problems');
    await page.locator('#panel-problems').waitFor();
    await find('go to ResourceSlice gpu-devices');
    await page.locator('.cm-activeLine', { hasText: 'name: gpu-devices' }).waitFor();
    await find('why two');
    await page.locator('[data-subject="default/two"] .fix').first().waitFor();
    await find('gate CompatibilityGroups off');
    await page.locator('[data-subject="default/two"][data-outcome=Scheduled]').waitFor();
    await find('version 1.36');
    await page.locator('.footer', { hasText: 'Kubernetes 1.36' }).waitFor();
    await find('example wrong');
    await visit.expectText(/^# Wrong slices/);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('nothing of that name');
    await page.getByText('Nothing is called that.').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.palette[open]').waitFor({ state: 'detached' });
  });

  visit('go from pod to fix to text without a pointer', {}, async (visit) => {
    const { page } = visit;
    await visit.answered();
    await visit.editor.focus();
    await page.keyboard.press('Alt+ArrowRight');
    const reach = async (selector) => {
      for (let i = 0; i < 40; i++) {
        if (await page.locator(`${selector}:focus`).count()) return;
        await page.keyboard.press('Tab');
      }
      assert.fail(`${selector} cannot be reached`);
    };
    await reach('[data-chip="default/two"]');
    await page.keyboard.press('Space');
    await page.locator('.cell.refused').first().waitFor();
    await reach('.chosen .button');
    await page.keyboard.press('Enter');
    await page.locator('.fix .button').first().waitFor();
    await page.getByRole('tab', { name: 'Why' }).focus();
    await reach('.fix .button');
    await page.keyboard.press('Enter');
    await page.locator('[data-subject="default/two"][data-outcome=Scheduled]').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.cm-content:focus').waitFor();
  });
});

describe('the focus', () => {
  visit('is in what was opened before the next key can arrive', {}, async (visit) => {
    const { page } = visit;
    await visit.answered();
    /** Clicks, and says by the end of that task whether something that fits has the focus. */
    const goes = (button, selector) =>
      page.getByRole('button', { name: button }).evaluate(async (element, within) => {
        element.click();
        await Promise.resolve();
        return document.activeElement.closest(within) !== null;
      }, selector);
    assert.ok(await goes('Rename', '.text-name'), 'the name of the text');
    await page.keyboard.press('Escape');
    assert.ok(await goes('Examples', '.menu-item'), 'the first example');
    await page.keyboard.press('Escape');
    assert.ok(await goes(/^Gates/, 'dialog[open]'), 'the dialog of the gates');
    await page.keyboard.press('Escape');
    assert.ok(await goes(/^Tour/, '.tour'), 'the step of the tour');
  });

  visit('stays in what is closed and opened again at once', {}, async (visit) => {
    const { page } = visit;
    await visit.answered();
    await page.keyboard.press('Control+k');
    // Both keys come in one task: before anything is painted, and before the
    // browser has told that the dialog was closed.
    await page.evaluate(async () => {
      const press = (key, more) =>
        document.activeElement.dispatchEvent(
          new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }),
        );
      press('Escape');
      await Promise.resolve();
      press('k', { ctrlKey: true });
      for (let turn = 0; turn < 3; turn++) await new Promise((done) => setTimeout(done));
    });
    await page.keyboard.type('view json');
    await page.locator('.palette[open] .palette-item[aria-selected=true]').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('#panel-json').waitFor();
    assert.ok(
      (await visit.copied(() => page.getByRole('button', { name: 'Copy' }).click())).startsWith(
        '{',
      ),
    );
  });
});

describe('copies', () => {
  visit('what is on the screen, as commands and as data', {}, async (visit) => {
    const { page } = visit;
    await visit.answered();
    const copy = async (name) => {
      const copied = await visit.copied(async () => {
        await page.getByRole('button', { name: 'Copy', exact: true }).click();
        await page.getByRole('button', { name, exact: true }).click();
      });
      await visit.notice('Copied');
      return copied;
    };
    const curl = await copy('as curl');
    assert.match(curl, /\/v1\/allocate\?featureGates=DRADeviceCompatibilityGroups%3Dtrue'/);
    assert.ok(curl.includes('name: gpu-0-vgpu'));
    assert.match(await copy('as kubectl'), /^kubectl apply --dry-run=server -f - <<'BUNDLE'\n#/);
    assert.match(await copy('as curl, of a cluster'), /^kubectl get nodes,.*-o json/);
    assert.equal(JSON.parse(await copy('as JSON')).pods.length, 2);
    assert.match(await copy('as YAML'), /^pods:\n- namespace: default\n {2}name: two\n/m);
    await visit.tab('Problems');
    assert.match(await copy('as curl'), /\/v1\/validate\?/);
  });
});
