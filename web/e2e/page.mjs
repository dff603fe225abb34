// What the tests do with the page, and what they demand of every visit: no
// request to anybody else, no error, nothing that the policy has to stop.

import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';

/** How long anything may take, in milliseconds: machines that run tests are busy. */
export const patience = 120_000;

/**
 * Waits until what is read is what is wanted: a value, a pattern that it fits,
 * or a function that says yes. What is read in the end is in the complaint.
 */
export async function eventually(read, wanted, about) {
  const fits =
    wanted instanceof RegExp
      ? (found) => wanted.test(found)
      : typeof wanted === 'function'
        ? wanted
        : (found) => isDeepStrictEqual(found, wanted);
  const end = Date.now() + patience;
  for (;;) {
    const found = await read();
    if (fits(found)) return found;
    if (Date.now() > end) {
      if (wanted instanceof RegExp) assert.match(found, wanted, about);
      if (typeof wanted !== 'function') assert.deepEqual(found, wanted, about);
      assert.fail(`${about ?? wanted}: ${JSON.stringify(found)}`);
    }
    await new Promise((done) => setTimeout(done, 30));
  }
}

/** How a visit is unless it says otherwise; each can be changed for a single window. */
const usual = {
  viewport: { width: 1280, height: 800 },
  colorScheme: 'light',
  reducedMotion: 'no-preference',
};

/** Runs in the page: notes what it says, because that goes again by itself. */
function noteNotices() {
  globalThis.notices = [];
  globalThis.heard = 0;
  const note = (elements) => {
    for (const { textContent, className } of elements) notices.push({ textContent, className });
  };
  new MutationObserver((_, search) => {
    const place = document.querySelector('.notices');
    if (!place) return;
    search.disconnect();
    note(place.children);
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) note(addedNodes);
    }).observe(place, { childList: true });
  }).observe(document, { childList: true, subtree: true });
}

/** Runs in the page: it gives up nothing by itself, however busy the machine is. */
function neverGiveUp() {
  const { setTimeout: later } = globalThis;
  globalThis.setTimeout = (act, ms, ...given) =>
    later(act, ms >= 10_000 ? 2 ** 31 - 1 : ms, ...given);
}

export class Visit {
  static async open(browser, url, options = {}) {
    const { hash = '', prepare, ...context } = options;
    const visit = new Visit();
    visit.context = await browser.newContext({
      ...usual,
      permissions: ['clipboard-read', 'clipboard-write'],
      // Against the real server: its certificate is its own.
      ignoreHTTPSErrors: true,
      // Each visit would keep all files; the tests of that allow it.
      serviceWorkers: 'block',
      ...context,
    });
    visit.context.setDefaultTimeout(patience);
    await visit.context.addInitScript(noteNotices);
    await visit.context.addInitScript(neverGiveUp);
    await prepare?.(visit);
    visit.watch(url);
    visit.look(await visit.context.newPage());
    await visit.page.goto(url + hash);
    return visit;
  }

  /**
   * Opens a visit in a window beside an earlier one, which is over but was not
   * closed. Both are of one process, in which the core is compiled already;
   * that takes most of the time until a page answers.
   */
  static async beside(earlier, url, options = {}) {
    const { hash = '', ...look } = options;
    const { viewport, ...media } = { ...usual, ...look };
    const visit = new Visit();
    visit.context = earlier.context;
    visit.watch(url);
    const [page] = await Promise.all([
      earlier.page.waitForEvent('popup'),
      earlier.page.evaluate(() => {
        // What it has not kept yet it keeps now, and not later.
        dispatchEvent(new Event('pagehide'));
        localStorage.clear();
        open('about:blank');
      }),
    ]);
    visit.look(page);
    await page.setViewportSize(viewport);
    await page.emulateMedia(media);
    await page.goto(url + hash);
    return visit;
  }

  /** Whether such a visit can be beside another one. */
  static canBeBeside(options) {
    return Object.keys(options).every((name) => name === 'hash' || name in usual);
  }

  watch(url) {
    this.origin = new URL(url).origin;
    this.requests = [];
    this.complaints = [];
    this.note = (request) => this.requests.push(request.url());
    this.context.on('request', this.note);
  }

  look(page) {
    this.page = page;
    page.on('pageerror', (error) => this.complaints.push(String(error.stack)));
    page.on('console', (message) => {
      if (!['error', 'warning'].includes(message.type())) return;
      // The tests' own doing: see serviceWorkers above.
      if (message.text().startsWith('Service Worker registration blocked')) return;
      this.complaints.push(message.text());
    });
  }

  /** Ends the visit; the demands are checked here. */
  async close() {
    await this.context.close();
    this.check();
  }

  /** Ends the visit and leaves those windows of its context that are older. */
  async leave(older = []) {
    for (const page of this.context.pages()) if (!older.includes(page)) await page.close();
    this.check();
  }

  check() {
    this.context.off('request', this.note);
    const foreign = this.requests.filter((url) => {
      const { protocol, origin } = new URL(url);
      return protocol !== 'data:' && protocol !== 'blob:' && origin !== this.origin;
    });
    assert.ok(this.requests.length > 0);
    assert.deepEqual(foreign, [], 'requests to other hosts');
    assert.deepEqual(this.complaints, [], 'errors and warnings of the page');
  }

  /** Waits until the text as it is now is answered, with the options as they are now. */
  async answered() {
    await this.page.locator('#announcer[data-current=true]').waitFor({ state: 'attached' });
  }

  get editor() {
    return this.page.locator('.cm-content');
  }

  /** What is in the clipboard when this was done, which copies something. */
  async copied(act) {
    await this.page.evaluate(() => navigator.clipboard.writeText(''));
    await act();
    // Copying may take a moment longer than what began it.
    const read = () => this.page.evaluate(() => navigator.clipboard.readText());
    return eventually(read, (text) => text !== '', 'something is copied');
  }

  /** The text in the editor, if there is any; CodeMirror draws only a part, so it is copied. */
  async text() {
    return this.copied(async () => {
      await this.editor.focus();
      await this.page.keyboard.press('Control+a');
      await this.page.keyboard.press('Control+c');
    });
  }

  /** Waits until the text in the editor is this one, or fits the pattern. */
  async expectText(wanted, about) {
    await eventually(() => this.text(), wanted, about);
  }

  /** Waits until the page says this, after what it was heard to say before. */
  async notice(words, tone = 'good') {
    await this.page.waitForFunction(
      ([wanted, look]) => {
        const at = notices.findIndex(
          ({ textContent, className }, index) =>
            index >= heard && textContent.includes(wanted) && className.split(' ').includes(look),
        );
        if (at < 0) return false;
        globalThis.heard = at + 1;
        return true;
      },
      [words, tone],
    );
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

  /** Opens an example, and waits until it is answered. */
  async example(title) {
    await this.page.getByRole('button', { name: 'Examples' }).click();
    const name = this.page.locator('strong', { hasText: title });
    await this.page.locator('.menu-item', { has: name }).first().click();
    await this.answered();
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
    await eventually(() => this.markedLines(severity), lines, `lines marked as ${severity}`);
  }

  /** The number of the line on which the cursor is. */
  async cursorLine() {
    return this.page.evaluate(() => {
      const root = document.querySelector('.editor').shadowRoot;
      return Number(root.querySelector('.cm-lineNumbers .cm-activeLineGutter')?.textContent);
    });
  }

  /** Waits until the cursor is on this line. */
  async expectLine(number, about = 'the line of the cursor') {
    await eventually(() => this.cursorLine(), number, about);
  }

  pod(name, outcome) {
    return this.page.locator(`[data-pod="${name}"][data-outcome="${outcome}"]`);
  }
}
