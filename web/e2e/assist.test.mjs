// The help that the editor gives, and the views of what becomes of objects:
// as stored, at admission, and their outline.

import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { check } from './axe.mjs';
import { harness } from './harness.mjs';

const { visit: visitWith } = harness();

const visit = (name, test) => visitWith(name, {}, (visited) => test(visited, visited.page));

const bundle = `apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata:
  name: gpu.example.com
spec:
  selectors:
  - cel:
      expression: device.driver == "gpu.example.com"
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata:
  name: worker-1
spec:
  driver: gpu.example.com
  nodeName: worker-1
  pool: {name: worker-1, generation: 1, resourceSliceCount: 1}
  devices:
  - name: gpu-0
    attributes:
      model: {string: A100}
  skipNodeOperations: ["*"]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: train
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.example.com
`;

/** Opens the completion with the key until it offers an entry. */
async function offered(page, label) {
  const entry = page
    .locator('.cm-tooltip-autocomplete li', {
      has: page.locator('.cm-completionLabel', { hasText: label }),
    })
    .first();
  await page.keyboard.press('Control+Space');
  await entry.waitFor();
  return entry;
}

async function complete(page, label) {
  await (await offered(page, label)).click();
}

/** Puts the cursor at the end of a line, wherever that is drawn. */
async function endOf(page, line) {
  await page.locator('.cm-content').focus();
  await page.keyboard.press('Control+Home');
  for (let i = 1; i < line; i++) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
}

async function write(visit, text) {
  await visit.answered();
  await visit.write(text);
  await visit.page.keyboard.press('Escape');
  await visit.answered();
}

describe('help in the editor', () => {
  visit('completes fields, values and names, and what expressions read', async (visit, page) => {
    await write(visit, bundle);
    await visit.cursorAfter('deviceClassName: gpu.example.com');
    await page.keyboard.press('Enter');
    await complete(page, 'allocationMode');
    await offered(page, 'ExactCount');
    await page.keyboard.press('Escape');
    await page.keyboard.type('All');
    await page.keyboard.press('Enter');
    await complete(page, 'selectors');
    await visit.expectText(/selectors:\n {8}- cel:\n {12}expression: $/m);
    const lines = (await visit.text()).split('\n');
    await endOf(page, lines.findIndex((line) => /^ {12}expression: $/.test(line)) + 1);
    await page.keyboard.type('device.attributes[');
    await complete(page, 'gpu.example.com');
    const model = await offered(page, 'model');
    assert.match(await model.innerText(), /model\s*string, by 1 device/);
    await model.click();
    await visit.expectText(/^ {12}expression: device\.attributes\["gpu\.example\.com"\]\.model/m);
  });

  visit('explains a field, by pointer and by key, and leads to its rules', async (visit, page) => {
    await write(visit, bundle);
    const explanation = page.locator('.cm-explained', { hasText: 'spec.skipNodeOperations' });
    const word = page.locator('.cm-line', { hasText: 'skipNodeOperations' });
    await word.hover({ position: { x: 60, y: 10 } });
    const text = await explanation.innerText();
    assert.match(text, /spec\.skipNodeOperations/);
    assert.match(text, /DRAOptionalNodeOperations, alpha in Kubernetes 1\.37, off/);
    const link = explanation.locator('a', { hasText: 'api/skip-node-operations' }).first();
    assert.match(await link.getAttribute('href'), /^rules\.html#api-skip-node-operations/);

    await visit.cursorAfter('deviceClassName: gpu.example.com');
    await page.mouse.move(1200, 790);
    await page.keyboard.press('Alt+i');
    await page.locator('.cm-explained', { hasText: 'The DeviceClass that' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.cm-explained').waitFor({ state: 'detached' });
  });

  visit('goes from a name to what it refers to', async (visit, page) => {
    await write(visit, bundle);
    await visit.cursorAfter('deviceClassName: gpu.example.com');
    await page.keyboard.press('F12');
    await visit.expectLine(4);
  });

  visit('offers a fix that was tried, and makes it', async (visit, page) => {
    await write(visit, bundle.replace('["*"]', '[NodePrepareResources]'));
    await visit.tab('Problems');
    const fix = page.getByRole('button', { name: 'add NodeUnprepareResources', exact: true });
    await fix.first().click();
    await visit.expectText(/\[NodePrepareResources, NodeUnprepareResources\]/);
    await visit.expectMarks('error', []);
  });

  visit('colours expressions and evens out indentation', async (visit, page) => {
    await write(visit, bundle.replaceAll('\n  name:', '\n      name:'));
    await page.locator('.cm-cel-name', { hasText: 'driver' }).first().waitFor();
    await visit.editor.focus();
    await page.keyboard.press('Shift+Alt+f');
    await visit.expectText((text) => text.trim() === bundle.trim(), 'evened out');
  });
});

describe('what becomes of objects', () => {
  visit('shows them as stored, with what is added, dropped and lost', async (visit, page) => {
    await write(visit, bundle);
    await visit.tab('As stored');
    const claim = page.locator('[data-stored="train"]');
    await claim.waitFor();
    await claim.locator('.after', { hasText: 'allocationMode: ExactCount' }).waitFor();
    const tops = await claim
      .locator('.diff-line')
      .evaluateAll((lines) => lines.map((line) => line.getBoundingClientRect().top));
    assert.ok(
      tops.every((top, i) => i === 0 || top > tops[i - 1]),
      `each line has a line of its own: ${tops.join(' ')}`,
    );
    await check(page, 'As stored');
    const slice = page.locator('[data-stored="worker-1"]');
    assert.match(await slice.innerText(), /dropped[\s\S]*DRAOptionalNodeOperations/);
    await page.getByLabel('API version').selectOption('v1beta1');
    await page.locator('[data-stored="train"]', { hasText: 'in v1beta1' }).waitFor();
    await page
      .locator('[data-stored="train"] .after', { hasText: 'resource.k8s.io/v1beta1' })
      .waitFor();
  });

  visit('shows what the webhook would answer', async (visit, page) => {
    await visit.answered();
    await visit.write(`apiVersion: v1
kind: Pod
metadata:
  name: pinned
spec:
  nodeName: worker-1
  resourceClaims:
  - name: gpu
    resourceClaimName: train
  containers:
  - name: main
    image: x
`);
    await visit.tab('Admission');
    await page.locator('[data-verdict="patched"]').waitFor();
    await page.locator('.admission .before', { hasText: 'nodeName: worker-1' }).waitFor();
    await page
      .locator('.admission .after', { hasText: 'kubernetes.io/hostname: worker-1' })
      .waitFor();
    await check(page, 'Admission');
  });

  visit('has an outline that leads to the parts', async (visit, page) => {
    await write(visit, bundle);
    await visit.tab('Outline');
    const request = page.getByRole('button', { name: /request gpu/ });
    await request.waitFor();
    await check(page, 'Outline');
    await request.click();
    await visit.expectLine(31);
  });

  // Each edit is one letter, and changes nothing among the problems.
  const placed = `apiVersion: v1
kind: Pod
metadata:
  name: pinned
spec:
  nodeName: worker-1
  resourceClaims:
  - name: gpu
    resourceClaimName: train
  containers:
  - name: main
    image: x
---
${bundle.replace('gpu-0', 'board-0').replace('  skipNodeOperations: ["*"]\n', '')}`;
  visit('all follow each edit, and so does the palette', async (visit, page) => {
    await write(visit, placed);
    const same = page.getByRole('tab', { name: 'Problems 1' });
    await same.waitFor();
    for (const [name, line, value, shows] of [
      ['As stored', 43, 'name: gpu', '[data-stored="train"] .diff-line.both'],
      ['Admission', 6, 'worker-1', '.admission .after'],
      ['Outline', 32, 'board-0', '.outline button'],
    ]) {
      await visit.tab(name);
      const shown = (text) => page.locator(shows, { hasText: new RegExp(`${text}\\b`) }).first();
      await shown(value).waitFor();
      await endOf(page, line);
      await page.keyboard.type('7');
      await shown(`${value}7`).waitFor();
      await same.waitFor();
    }
    // A line more above it all.
    await page.getByRole('button', { name: 'request gpu7 line 43' }).waitFor();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('# a');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'request gpu7 line 44' }).waitFor();
    // The palette asks the same as the outline, beside it.
    const find = async (text) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: /find/i }).fill(text);
      await page.locator('.palette-item', { hasText: new RegExp(`${text}$`) }).waitFor();
      await page.keyboard.press('Escape');
    };
    await find('ResourceClaim train');
    await endOf(page, 40);
    await page.keyboard.type('7');
    await find('ResourceClaim train7');
    await page.locator('.outline button', { hasText: 'train7' }).first().waitFor();
  });
});
