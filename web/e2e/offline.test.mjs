// Without a network, with a new version, and as a part of another page.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { launch } from './browser.mjs';
import { eventually, patience, Visit } from './page.mjs';
import { serve } from './serve.mjs';

const worker = readFileSync(new URL('../dist/sw.js', import.meta.url), 'utf8');

let browser;
let host;
before(async () => {
  browser = await launch();
  host = await serve();
});
after(async () => {
  await browser?.close();
  host?.stop();
});

describe('offline', () => {
  it(
    'works after the first visit, and changes to a new version when told',
    { timeout: 1_800_000 },
    async () => {
      const visit = await Visit.open(browser, host.url, { serviceWorkers: 'allow' });
      const { page, context } = visit;
      await visit.answered();
      await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
      await visit.write('# mine\n');

      await context.setOffline(true);
      await page.reload();
      await visit.answered();
      await visit.expectText('# mine\n');
      await visit.example('One device');
      await visit.pod('train', 'Scheduled').first().waitFor();
      await context.setOffline(false);

      // A new version comes, and waits.
      const style = '\n/* new */';
      host.instead.set('sw.js', worker.replace(/"version":"\w+"/, '"version":"new"'));
      host.instead.set(
        'theme.js',
        readFileSync(new URL('../dist/theme.js', import.meta.url), 'utf8') + style,
      );
      const button = page.getByRole('button', { name: 'Use it now' });
      // A busy browser may give up on a new version; whoever looks again gets it.
      for (let turn = 0; turn < 12 && !(await button.isVisible()); turn++) {
        await page.evaluate(() =>
          navigator.serviceWorker
            .getRegistration()
            .then((found) => found.update())
            .then(() => undefined),
        );
        await button.waitFor({ timeout: 15_000 }).catch(() => undefined);
      }
      await button.waitFor();
      const theme = () => page.evaluate(() => fetch('./theme.js').then((got) => got.text()));
      assert.ok(!(await theme()).includes(style), 'the old version has its own files');
      await Promise.all([page.waitForEvent('load'), button.click()]);
      await visit.answered();
      assert.ok((await theme()).includes(style), 'the new version has its own files');
      const caches = () => page.evaluate(() => globalThis.caches.keys());
      await eventually(async () => (await caches()).map((name) => name.split(' ').at(-1)), ['new']);
      assert.equal(await button.count(), 0);
      await context.setOffline(true);
      await page.reload();
      await visit.pod('train', 'Scheduled').first().waitFor();
      await visit.close();
      host.instead.clear();
    },
  );

  it('has a manifest with which it can be installed', async () => {
    const { url } = host;
    const manifest = await (await fetch(new URL('manifest.webmanifest', url))).json();
    assert.equal(new URL(manifest.start_url, url).href, url);
    assert.equal(manifest.display, 'standalone');
    for (const { src } of manifest.icons)
      assert.equal((await fetch(new URL(src, url))).status, 200);
  });
});

describe('as a part of another page', () => {
  it(
    'shows text and answer, keeps nothing, and leads to the whole',
    { timeout: 1_800_000 },
    async () => {
      const around = createServer((request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end(
          `<!doctype html><title>Docs</title><iframe title="Example" src="${host.url}?embed" width="900" height="500"></iframe>`,
        );
      });
      await new Promise((done) => around.listen(0, '127.0.0.1', done));
      const context = await browser.newContext({ serviceWorkers: 'allow' });
      context.setDefaultTimeout(patience);
      try {
        const page = await context.newPage();
        await page.goto(`http://127.0.0.1:${around.address().port}/`);
        const frame = page.frameLocator('iframe');
        await frame.locator('[data-pod=two][data-outcome=Unschedulable]').first().waitFor();
        assert.equal(await frame.getByRole('button', { name: 'Examples' }).count(), 0);
        assert.equal(await frame.locator('.file-bar').count(), 0);
        const inner = page.frames()[1];
        assert.equal(await inner.evaluate(() => localStorage.length), 0);
        assert.equal(
          await inner.evaluate(() =>
            navigator.serviceWorker.getRegistrations().then((all) => all.length),
          ),
          0,
        );
        const [whole] = await Promise.all([
          context.waitForEvent('page'),
          frame.getByRole('button', { name: 'Open in the playground' }).click(),
        ]);
        await whole.getByRole('button', { name: 'Examples' }).waitFor();
        assert.match(whole.url(), /\/some\/folder\/#1\./);
      } finally {
        await context.close();
        around.closeAllConnections();
        around.close();
      }
    },
  );
});
