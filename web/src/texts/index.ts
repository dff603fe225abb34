// All that the page says, in one table for each language. What the core says
// comes from the core, and is English.

import { en } from './en';
import { zh } from './zh';

/** What a language has to have: the keys of English, with its own words. */
export type Texts = typeof en;

const tables = { en, zh };

export type Language = keyof typeof tables;

/** The languages, each by its own name. */
export const languages: readonly [Language, string][] = [
  ['en', 'English'],
  ['zh', '中文'],
];

/** What the lang attribute says. */
const tags: Record<Language, string> = { en: 'en', zh: 'zh-Hans' };

const key = 'drawbridge.language';

/** The words of the language in use. */
export let t: Texts = en;

export let language: Language = 'en';

/** Takes another language into use; what is drawn from now on speaks it. */
export function speak(wanted: Language): void {
  language = wanted;
  t = tables[wanted];
  if (typeof document !== 'undefined') {
    document.documentElement.lang = tags[wanted];
    document.title = t.page.title;
  }
}

/** The language chosen on an earlier visit, or the first of the browser's that is here. */
export function preferred(stored: string | null, browser: readonly string[]): Language {
  const known = (name: string | null) => languages.find(([code]) => code === name)?.[0];
  for (const wanted of [stored, ...browser.map((tag) => tag.split('-')[0]!.toLowerCase())]) {
    const found = known(wanted);
    if (found) return found;
  }
  return 'en';
}

export function speakPreferred(): void {
  let stored: string | null = null;
  try {
    stored = localStorage.getItem(key);
  } catch {
    // Without storage the browser's language decides.
  }
  speak(preferred(stored, navigator.languages));
}

export function remember(wanted: Language): void {
  try {
    localStorage.setItem(key, wanted);
  } catch {
    // Nothing is lost but the memory of it.
  }
}
