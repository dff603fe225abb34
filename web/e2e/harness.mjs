// What every file of browser tests shares: one browser, one host, and visits
// that end with the demands of every visit.

import { after, before, it } from 'node:test';
import { launch } from './browser.mjs';
import { Visit } from './page.mjs';
import { serve } from './serve.mjs';

/**
 * Starts browser and host for the tests of a file; visit makes a test of a
 * visit. Where each is alone it begins with nothing loaded before.
 */
export function harness({ alone = false } = {}) {
  const started = {};
  before(async () => {
    started.browser = await launch();
    if (process.env.DRAWBRIDGE_URL) {
      started.url = process.env.DRAWBRIDGE_URL.replace(/\/*$/, '/');
    } else {
      started.host = await serve();
      started.url = started.host.url;
    }
  });
  after(async () => {
    await started.browser?.close();
    started.host?.stop();
  });
  /** The first visit of the file that others can be beside; it stays open. */
  let first;
  const visit = (name, options, test) =>
    it(name, { timeout: 1_800_000 }, async (context) => {
      const { browser, url } = started;
      const shared = !alone && Visit.canBeBeside(options);
      const own = !(shared && first);
      const page = own
        ? await Visit.open(browser, url, options)
        : await Visit.beside(first, url, options);
      try {
        await test(page, context);
      } catch (error) {
        if (own) await page.context.close();
        else await page.leave([first.page]).catch(() => undefined);
        throw error;
      }
      if (!own) return page.leave([first.page]);
      if (!shared) return page.close();
      await page.leave([page.page]);
      first = page;
    });
  return { started, visit };
}
