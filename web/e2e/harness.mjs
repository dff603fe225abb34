// What every file of browser tests shares: one browser, one host, and visits
// that end with the demands of every visit.

import { after, before, it } from 'node:test';
import { launch } from './browser.mjs';
import { Visit } from './page.mjs';
import { serve } from './serve.mjs';

/** Starts browser and host for the tests of a file; visit makes a test of a visit. */
export function harness() {
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
  const visit = (name, options, test) =>
    it(name, { timeout: 420_000 }, async (context) => {
      const page = await Visit.open(started.browser, started.url, options);
      try {
        await test(page, context);
      } catch (error) {
        await page.context.close();
        throw error;
      }
      await page.close();
    });
  return { started, visit };
}
