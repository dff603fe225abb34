// The page in a real browser, with the real core in it. Against the page's
// own files on a plain static host, in a sub-folder; or, where DRAWBRIDGE_URL
// names one, against a running server.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { check, judge } from './axe.mjs';
import { harness } from './harness.mjs';
import { eventually, Visit } from './page.mjs';

const { started, visit } = harness();

const slice = `apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata:
  name: control-plane-resources
spec:
  nodeName: worker-1
  pool:
    name: central-pool
    generation: 1
    resourceSliceCount: 1
  driver: control-plane.example.com
  devices:
  - name: virtual-device-1
  skipNodeOperations:
`;

describe('text and problems', () => {
  visit('marks what is typed wrong on its line, and forgets it once mended', {}, async (visit) => {
    const { page } = visit;
    await visit.example('Skipped node operations');
    await visit.write(slice);
    await visit.tab('Problems');
    await page.keyboard.press('Escape');
    await visit.cursorAfter('skipNodeOperations:');
    await page.keyboard.press('Enter');
    await page.keyboard.type('- NodePrepareResources');
    await visit.expectMarks('error', [14]);
    const problem = page.locator('[data-rule=skip-node-operations]');
    assert.match(await problem.innerText(), /NodeUnprepareResources[\s\S]*line 14/);
    await page.locator('#announcer', { hasText: '1 problem' }).waitFor({ state: 'attached' });

    await visit.cursorAfter('- NodePrepareResources');
    await page.keyboard.press('Enter');
    await page.keyboard.type('- NodeUnprepareResources');
    await visit.expectMarks('error', []);
    await problem.waitFor({ state: 'detached' });
  });

  visit('walks through the problems with F8, and goes to one at a click', {}, async (visit) => {
    const { page } = visit;
    await visit.example('Wrong slices');
    await visit.tab('Problems');
    await page.locator('.problem').nth(1).waitFor();
    await visit.editor.focus();
    await page.keyboard.press('F8');
    await visit.expectLine(41);
    await page.keyboard.press('F8');
    await visit.expectLine(57);
    await page.keyboard.press('Shift+F8');
    await visit.expectLine(41);
    await page.locator('[data-rule=skip-node-operations] .problem-text').click();
    await visit.expectLine(57);
    await page.getByRole('tab', { name: 'Problems' }).focus();
    await page.keyboard.press('F8');
    await visit.expectLine(41, 'from anywhere on the page');
    await page.locator('.cm-lintRange-error').first().hover();
    await page
      .locator('.cm-tooltip-lint, .cm-tooltip-hover', { hasText: 'api/compatibility-groups-max' })
      .first()
      .waitFor();
  });

  visit('leads from a finding to the entry of its rule', {}, async (visit) => {
    const { page } = visit;
    await visit.example('Wrong slices');
    await visit.tab('Problems');
    const link = page.locator('[data-rule=compatibility-groups-max] a.rule');
    const [entry] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
    const article = entry.locator('article:target');
    await article.waitFor();
    assert.match(await article.innerText(), /api\/compatibility-groups-max[\s\S]*at most 2/);
    await entry.waitForLoadState();
    assert.equal(await entry.evaluate(() => getComputedStyle(document.body).maxWidth), '832px');
    await judge(entry, 'the entry of a rule');
    await entry.close();
  });

  visit('mends what the core knows how to mend', {}, async (visit) => {
    const { page } = visit;
    await visit.write(
      slice.replace('kind: ResourceSlice', 'kind: ResourceSlise').replace(/ *skip.*\n/, ''),
    );
    await visit.tab('Problems');
    const fix = page.locator('.problem .button').first();
    await fix.click();
    await page.locator('.calm', { hasText: 'No problems' }).waitFor();
    await visit.expectText(/kind: ResourceSlice\n/);
  });

  visit('keeps the text between visits, and in this browser only', {}, async (visit) => {
    const { page } = visit;
    await visit.write('# mine\n' + slice);
    await page.waitForFunction(() => localStorage.getItem('drawbridge.draft')?.includes('# mine'));
    await page.reload();
    await visit.answered();
    await visit.expectText(/^# mine\n/);
  });
});

describe('allocation', () => {
  visit('opens with the example that surprises, and answers changes', {}, async (visit) => {
    const { page } = visit;
    const two = visit.pod('two', 'Unschedulable');
    await two.waitFor();
    const why = two.locator('[data-code=compatibility-groups]').first();
    assert.match(await why.innerText(), /gpu-0-memory/);
    assert.equal(await two.locator('.refusals [data-device=gpu-0-mig]').count(), 1);
    assert.equal(await two.locator('.refusals [data-device=gpu-0-vgpu]').count(), 1);
    assert.equal(await visit.pod('one', 'Scheduled').locator('[data-device=gpu-0-mig]').count(), 1);

    await visit.editor.focus();
    await page.keyboard.press('Control+f');
    await page.keyboard.type('  count: 2');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('1');
    await visit.pod('two', 'Scheduled').locator('.tile[data-device=gpu-0-mig]').waitFor();
    await visit.pod('one', 'Unschedulable').waitFor();
  });

  visit('shows shares, consumed capacity and skipped operations', {}, async (visit) => {
    await visit.example('Consumable capacity');
    const tile = visit.pod('stream-a', 'Scheduled').locator('.tile');
    await tile.waitFor();
    assert.match(await tile.innerText(), /eth1[\s\S]*bandwidth\s+1G[\s\S]*share\s+[0-9a-f-]{36}/);
    await visit.example('Skipped node operations');
    const skipped = visit.pod('tenant', 'Scheduled').locator('.tile');
    await skipped.waitFor();
    assert.match(await skipped.innerText(), /skips\s+\*/);
    await visit.example('Distinct attribute');
    const claim = visit.page.locator('[data-claim="default/two-cards"][data-outcome=Allocated]');
    await claim.waitFor();
    assert.deepEqual(
      await claim.locator('.tile').evaluateAll((all) => all.map((t) => t.dataset.device)),
      ['eth1', 'eth2'],
    );
  });

  visit('goes from a pod to its lines', {}, async (visit) => {
    await visit.answered();
    const lines = (await visit.text()).split('\n');
    await visit.pod('one', 'Scheduled').locator('button.name').first().click();
    await eventually(async () => lines[(await visit.cursorLine()) - 1], '  name: one');
  });

  visit('depends on version and gates', {}, async (visit) => {
    const { page } = visit;
    await visit.answered();
    await visit.pod('two', 'Unschedulable').waitFor();
    await page.getByRole('button', { name: /^Gates/ }).click();
    const gate = page.getByRole('checkbox', { name: /^DRADeviceCompatibilityGroups/ });
    assert.equal(await gate.isChecked(), true);
    await gate.uncheck();
    await page.keyboard.press('Escape');
    await visit.pod('two', 'Scheduled').waitFor();
    await page.locator('.assumptions').waitFor({ state: 'detached' });
    await visit.tab('Problems');
    await page.locator('.problem', { hasText: 'DRADeviceCompatibilityGroups' }).first().waitFor();
    await page.getByRole('combobox', { name: 'Kubernetes' }).selectOption('1.34');
    await page.locator('.footer', { hasText: 'Kubernetes 1.34' }).waitFor();
  });

  visit('gives the raw answer to copy', {}, async (visit) => {
    const { page } = visit;
    await visit.answered();
    await visit.tab('JSON');
    const copied = await visit.copied(() => page.getByRole('button', { name: 'Copy' }).click());
    await visit.notice('Copied');
    assert.deepEqual(
      JSON.parse(copied).pods.map(({ outcome }) => outcome),
      ['Unschedulable', 'Scheduled'],
    );
  });
});

describe('links', () => {
  visit('carry text, version and gates to somebody else', {}, async (visit) => {
    const { page } = visit;
    const text = '# 😀 shared\n' + slice;
    await visit.answered();
    await visit.write(text);
    await page.getByRole('combobox', { name: 'Kubernetes' }).selectOption('1.36');
    const link = await visit.copied(() =>
      page.getByRole('button', { name: 'Share', exact: true }).click(),
    );
    await visit.notice('Link copied');
    assert.match(link, /#1\.[\w-]+$/);

    const other = await Visit.open(started.browser, link);
    await other.answered();
    const version = other.page.getByRole('combobox', { name: 'Kubernetes' });
    await eventually(() => version.inputValue(), '1.36');
    await other.page.getByRole('button', { name: 'Gates', exact: true }).waitFor();
    // The gate that the example needs is newer than 1.36; it was not forgotten.
    await version.selectOption('1.37');
    await other.page.getByRole('button', { name: /^Gates 1 set/ }).waitFor();
    await other.expectText(text);
    assert.ok(
      other.requests.every((request) => !request.includes('#')),
      'the text was sent',
    );
    await other.page.keyboard.press('Control+Home');
    await other.page.keyboard.type('x');
    await other.page.waitForFunction(() => location.hash === '');
    await other.close();
  });

  visit('that are damaged or from a newer page say so', { hash: '#1.abc' }, async (visit) => {
    const { page } = visit;
    await visit.notice('damaged', 'bad');
    await page.evaluate(() => (location.hash = '#9.abc'));
    await visit.notice('newer version', 'bad');
    await visit.pod('two', 'Unschedulable').waitFor();
  });
});

describe('trouble', () => {
  it('has words and a way on when the core does not load', { timeout: 1_800_000 }, async () => {
    let broken = true;
    const visit = await Visit.open(started.browser, started.url, {
      prepare: ({ context }) =>
        context.route('**/*.wasm', (route) =>
          broken ? route.fulfill({ status: 503, body: '' }) : route.continue(),
        ),
    });
    const { page } = visit;
    await page.getByRole('alert').getByText('HTTP 503').waitFor();
    broken = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await visit.pod('two', 'Unschedulable').waitFor();
    visit.complaints = visit.complaints.filter((text) => !/503/.test(text));
    await visit.close();
  });

  const stuck = `onmessage = ({ data }) => {
    if (data.kind === 'call') {
      // It knows everything but what is wrong with the text.
      const head = { version: 'v0', default: '', versions: [] };
      if (data.operation !== 'validate') {
        postMessage({ kind: 'answer', id: data.id, raw: '', head, ms: 1 });
      }
      return;
    }
    const module = new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
    postMessage({ kind: 'ready', module, loaded: { bytes: 8 } });
  };`;
  visit(
    'says what it is at, for how long, and can be stopped',
    {
      prepare: ({ context }) =>
        context.route('**/worker-*.js', (route) =>
          route.fulfill({ contentType: 'text/javascript', body: stuck }),
        ),
    },
    async ({ page }) => {
      await page.locator('[data-stage=validate]', { hasText: 'Checking the objects' }).waitFor();
      await page.locator('.slow-time', { hasText: /^([2-9]|\d{2,}) s$/ }).waitFor();
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByRole('alert').getByText('Given up').waitFor();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('button', { name: 'Stop' }).waitFor();
    },
  );
});

describe('for everybody', () => {
  visit('can be used with the keyboard alone', {}, async (visit) => {
    const { page } = visit;
    await visit.answered();
    const read = () =>
      page.evaluate(() => {
        let element = document.activeElement;
        while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
        return element.getAttribute('role') ?? element.textContent.trim().split('\n')[0];
      });
    const focused = (wanted, about) => eventually(read, wanted, about);
    const selected = (name) => page.locator('[role=tab][aria-selected=true]', { hasText: name });
    await visit.editor.focus();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    await focused('separator', 'Escape, then Tab, leaves the editor');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Tab');
    await focused('tab');
    await page.keyboard.press('ArrowRight');
    await selected('Why').waitFor();
    await page.keyboard.press('End');
    await selected('JSON').waitFor();
    await page.keyboard.press('Home');
    await selected('Problems').waitFor();
    await page.keyboard.press('Tab');
    await focused('tabpanel');
    await page.keyboard.press('Escape');
    await focused('textbox', 'Escape goes back to the text');
    await page.keyboard.press('Alt+ArrowRight');
    await focused('tabpanel');
    await page.getByRole('button', { name: 'Examples' }).focus();
    await page.keyboard.press('Enter');
    await focused(/^One device/);
    await page.keyboard.press('ArrowDown');
    await focused(/^Pod with cats/);
    await page.keyboard.press('Escape');
    await focused(/^Examples/);
  });

  for (const colorScheme of ['light', 'dark', 'contrast']) {
    for (const width of [1280, 360]) {
      const options = {
        viewport: { width, height: 740 },
        colorScheme: colorScheme === 'contrast' ? 'light' : colorScheme,
      };
      visit(`is accessible: ${colorScheme}, ${width} px`, options, async (visit) => {
        const { page } = visit;
        if (colorScheme === 'contrast') {
          const button = page.getByRole('button', { name: /^Colours/ });
          for (let i = 0; i < 3; i++) await button.click();
        }
        await visit.example('Wrong slices');
        const narrow = width < 840;
        for (const tab of [...(narrow ? ['Text'] : []), 'Problems', 'Allocation', 'Why', 'JSON']) {
          await visit.tab(tab);
          await visit.answered();
          await check(page, tab);
        }
        await visit.example('Compatibility groups');
        await visit.tab('Allocation');
        await visit.pod('two', 'Unschedulable').waitFor();
        await page.locator('[data-chip="default/two"]').click();
        await page.locator('.cell.refused').first().waitFor();
        await check(page, 'an allocation');
        await visit.tab('Why');
        await page.locator('.fix').first().waitFor();
        await check(page, 'why');
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: 'Find a command' }).waitFor();
        await check(page, 'commands');
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Examples' }).click();
        await check(page, 'examples');
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: /^Gates/ }).click();
        await check(page, 'gates');
      });
    }
  }

  visit(
    'works at 360 px, where the halves take turns',
    { viewport: { width: 360, height: 740 } },
    async (visit) => {
      const { page } = visit;
      await visit.editor.waitFor();
      await visit.example('Wrong slices');
      await visit.tab('Problems');
      await visit.editor.waitFor({ state: 'hidden' });
      await page.locator('[data-rule=compatibility-groups-max] .problem-text').click();
      await visit.editor.waitFor(); // a click on a problem shows the text
      await visit.expectLine(41);
      await visit.tab('Allocation');
      await page.locator('.panel').waitFor();
    },
  );
});
