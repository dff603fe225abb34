// What the tests do with the page, and what they demand of every visit: no
// request to anybody else, no error, nothing that the policy has to stop.

import assert from 'node:assert/strict';

export class Visit {
  static async open(browser, url, options = {}) {
    const { hash = '', prepare, ...context } = options;
    const visit = new Visit();
    visit.context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      permissions: ['clipboard-read', 'clipboard-write'],
      // Against the real server: its certificate is its own.
      ignoreHTTPSErrors: true,
      // Each visit would keep all files; the tests of that allow it.
      serviceWorkers: 'block',
      ...context,
    });
    visit.origin = new URL(url).origin;
    visit.requests = [];
    visit.complaints = [];
    visit.context.on('request', (request) => visit.requests.push(request.url()));
    await prepare?.(visit);
    visit.page = await visit.context.newPage();
    // Machines that run tests are busy.
    visit.page.setDefaultTimeout(120_000);
    visit.page.on('pageerror', (error) => visit.complaints.push(String(error.stack)));
    visit.page.on('console', (message) => {
      if (!['error', 'warning'].includes(message.type())) return;
      // The tests' own doing: see serviceWorkers above.
      if (message.text().startsWith('Service Worker registration blocked')) return;
      visit.complaints.push(message.text());
    });
    await visit.page.goto(url + hash);
    return visit;
  }

  /** Ends the visit; the demands are checked here. */
  async close() {
    await this.context.close();
    const foreign = this.requests.filter((url) => {
      const { protocol, origin } = new URL(url);
      return protocol !== 'data:' && protocol !== 'blob:' && origin !== this.origin;
    });
    assert.ok(this.requests.length > 0);
    assert.deepEqual(foreign, [], 'requests to other hosts');
    assert.deepEqual(this.complaints, [], 'errors and warnings of the page');
  }

  /** Waits until the newest text is answered. */
  async answered() {
    await this.page
      .locator('.panel[aria-busy=false], .page.narrow')
      .first()
      .waitFor({ timeout: 120_000 });
    await this.page.locator('.footer', { hasText: 'answered in' }).waitFor({ timeout: 120_000 });
  }

  get editor() {
    return this.page.locator('.cm-content');
  }

  /** The text in the editor; CodeMirror draws only a part, so it is copied. */
  async text() {
    await this.editor.focus();
    await this.page.keyboard.press('Control+a');
    await this.page.keyboard.press('Control+c');
    return this.page.evaluate(() => navigator.clipboard.readText());
  }

  /** Replaces the text as somebody who pastes would. */
  async write(text) {
    await this.editor.focus();
    await this.page.keyboard.press('Control+a');
    await this.page.keyboard.press('Delete');
    await this.page.keyboard.insertText(text);
  }

  /** Puts the cursor at the end of the first line that contains the words. */
  async cursorAfter(words) {
    await this.page.locator('.cm-line', { hasText: words }).first().click();
    await this.page.keyboard.press('End');
  }

  async example(title) {
    await this.page.getByRole('button', { name: 'Examples' }).click();
    const name = this.page.locator('strong', { hasText: title });
    await this.page.locator('.menu-item', { has: name }).first().click();
  }

  async tab(name) {
    await this.page.getByRole('tab', { name }).click();
  }

  /** The numbers of the lines that carry a mark of the severity in the gutter. */
  async markedLines(severity) {
    return this.page.evaluate((wanted) => {
      const root = document.querySelector('.editor').shadowRoot;
      const number = new Map();
      for (const element of root.querySelectorAll('.cm-lineNumbers .cm-gutterElement')) {
        number.set(Math.round(element.getBoundingClientRect().top), Number(element.textContent));
      }
      return [...root.querySelectorAll(`.cm-gutter-lint .cm-lint-marker-${wanted}`)].map((mark) =>
        number.get(Math.round(mark.parentElement.getBoundingClientRect().top)),
      );
    }, severity);
  }

  /** Waits until exactly these lines are marked. */
  async expectMarks(severity, lines) {
    let found;
    for (let i = 0; i < 100; i++) {
      found = await this.markedLines(severity);
      if (JSON.stringify(found) === JSON.stringify(lines)) return;
      await this.page.waitForTimeout(100);
    }
    assert.deepEqual(found, lines, `lines marked as ${severity}`);
  }

  /** The number of the line on which the cursor is. */
  async cursorLine() {
    return this.page.evaluate(() => {
      const root = document.querySelector('.editor').shadowRoot;
      return Number(root.querySelector('.cm-lineNumbers .cm-activeLineGutter')?.textContent);
    });
  }

  pod(name, outcome) {
    return this.page.locator(`[data-pod="${name}"][data-outcome="${outcome}"]`);
  }
}
