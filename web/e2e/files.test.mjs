// Several texts, files and folders, and links: nothing of it leaves the page.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe } from 'node:test';
import { harness } from './harness.mjs';
import { eventually } from './page.mjs';

const { visit } = harness();

const folder = mkdtempSync(join(tmpdir(), 'drawbridge-'));
mkdirSync(join(folder, 'lab', 'deep'), { recursive: true });
writeFileSync(
  join(folder, 'lab', 'a.json'),
  JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } }, null, '\t'),
);
const slice = `apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: d.example.com
  nodeName: n1
  pool: {name: p, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0}]
`;
writeFileSync(join(folder, 'lab', 'deep', 'slice.yaml'), slice);
writeFileSync(join(folder, 'lab', 'README.md'), '# not YAML');
writeFileSync(join(folder, 'one.yaml'), slice);
after(() => rmSync(folder, { recursive: true }));

/** Drops files as somebody with a file manager would. */
async function drop(page, ...names) {
  const client = await page.context().newCDPSession(page);
  const data = {
    items: [],
    files: names.map((name) => join(folder, name)),
    dragOperationsMask: 1,
  };
  for (const type of ['dragEnter', 'dragOver', 'drop']) {
    await client.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data });
  }
  await client.detach();
}

describe('files', () => {
  visit('are opened, dropped, named, kept and saved', {}, async (visit) => {
    const { page } = visit;
    const text = page.getByRole('combobox', { name: 'Text' });
    const expectNames = (...names) =>
      eventually(() => text.locator('option').allTextContents(), names);
    await visit.answered();
    await visit.write('# mine\n');
    await drop(page, 'one.yaml');
    await visit.notice('Opened one file');
    await expectNames('bundle.yaml', 'one.yaml');
    await visit.expectText(slice);

    await drop(page, 'lab');
    await visit.notice('Opened 2 files as one bundle');
    const both = await visit.text();
    assert.match(both, /^# lab\/a\.json\n\{\n\t"apiVersion"[\s\S]*---\n# lab\/deep\/slice\.yaml\n/);
    await visit.tab('Problems');
    await page.locator('.calm', { hasText: 'No problems in 2 objects' }).waitFor();

    // What was undone belongs to one text only.
    await visit.editor.focus();
    await page.keyboard.press('Control+z');
    await visit.expectText(both);
    await text.selectOption('bundle.yaml');
    await visit.expectText('# mine\n');

    await page.getByRole('button', { name: 'Rename' }).click();
    await page.keyboard.type('own');
    await page.keyboard.press('Enter');
    await expectNames('own', 'one.yaml', 'lab.yaml');
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.keyboard.press('Control+s'),
    ]);
    assert.equal(saved.suggestedFilename(), 'own.yaml');
    assert.equal(readFileSync(await saved.path(), 'utf8'), '# mine\n');

    await page.reload();
    await visit.answered();
    await expectNames('own', 'one.yaml', 'lab.yaml');
    await visit.expectText('# mine\n');
    page.once('dialog', (dialog) => dialog.accept());
    await page.getByRole('button', { name: 'Remove' }).click();
    await visit.notice('own was removed');
    await visit.expectText(slice);
    await page.getByRole('button', { name: 'New text' }).click();
    await expectNames('one.yaml', 'lab.yaml', 'bundle.yaml');
    await page.setInputFiles('#open-files', join(folder, 'lab', 'README.md'));
    await visit.notice('Opened one file');
    await visit.expectText('# not YAML');
  });
});
