// Debian's Chromium, without a screen and without calling anybody.

import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

export async function launch() {
  if (!existsSync(executablePath)) {
    throw new Error(
      `there is no browser at ${executablePath}: install the package chromium, or set CHROMIUM to the path of one`,
    );
  }
  return chromium.launch({
    executablePath,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-domain-reliability',
      '--disable-sync',
      '--no-first-run',
      '--no-default-browser-check',
    ],
  });
}
