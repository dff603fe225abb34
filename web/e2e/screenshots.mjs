// Takes the pictures of the views that README and docs show, of the built
// page: npm run screenshots.

import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { launch } from './browser.mjs';
import { Visit } from './page.mjs';
import { serve } from './serve.mjs';

const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const wide = { viewport: { width: 1440, height: 900 }, colorScheme: 'light' };
const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 };

const shots = {
  allocation: { ...wide, show: (visit) => visit.tab('Allocation') },
  why: {
    ...wide,
    colorScheme: 'dark',
    async show(visit) {
      await visit.tab('Why');
      await visit.page.locator('.fix').first().waitFor({ timeout: 60_000 });
    },
  },
  problems: {
    ...wide,
    async show(visit) {
      await visit.example('Wrong slices');
      await visit.tab('Problems');
      await visit.page.locator('.problem').nth(1).waitFor({ timeout: 60_000 });
    },
  },
  node: {
    ...wide,
    async show(visit) {
      await visit.example('Skipped node operations');
      await visit.tab('Node');
      await visit.page.locator('[data-step=skipped]').first().waitFor({ timeout: 60_000 });
    },
  },
  rights: {
    ...wide,
    async show(visit) {
      await visit.example('Status rights');
      await visit.tab('Rights');
      await visit.page.locator('[data-mend]').waitFor({ timeout: 60_000 });
    },
  },
  classic: {
    ...wide,
    async show(visit) {
      await visit.example('Classic negotiation');
      await visit.tab('Classic');
      await visit.page.locator('.player-step').waitFor({ timeout: 60_000 });
    },
  },
  phone: {
    ...phone,
    async show(visit) {
      await visit.tab('Allocation');
      await visit.pod('two', 'Unschedulable').first().waitFor({ timeout: 60_000 });
    },
  },
};

mkdirSync(folder, { recursive: true });
const browser = await launch();
const host = await serve();
// With names only these: npm run screenshots -- node rights.
const wanted = process.argv.slice(2);
try {
  for (const [name, { show, ...options }] of Object.entries(shots)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const visit = await Visit.open(browser, host.url, options);
    await visit.answered();
    await show(visit);
    await visit.page.waitForTimeout(1000); // until what fades in has faded in
    await visit.page.screenshot({ path: `${folder}${name}.png` });
    await visit.close();
    console.log(`docs/images/${name}.png`);
  }
} finally {
  await browser.close();
  host.stop();
}
