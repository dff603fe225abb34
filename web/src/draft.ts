// What the page remembers between visits, in the browser alone. Storage can
// be missing, full or forbidden; then it is as if nothing had been kept.

import type { Shared } from './share';

const draftKey = 'drawbridge.draft';
const themeKey = 'drawbridge.theme';
const largest = 2 << 20; // Browsers give about 5 MB to a site.

export function saveDraft(state: Shared): void {
  if (state.text.length > largest) return;
  write(draftKey, JSON.stringify(state));
}

export function loadDraft(): Shared | undefined {
  try {
    const value = JSON.parse(read(draftKey) ?? 'null') as Partial<Shared> | null;
    if (typeof value?.text !== 'string') return undefined;
    return { text: value.text, version: value.version ?? '', gates: value.gates ?? '' };
  } catch {
    return undefined;
  }
}

export const themes = ['system', 'light', 'dark', 'contrast'] as const;
export type Theme = (typeof themes)[number];

export function saveTheme(theme: Theme): void {
  write(themeKey, theme);
}

export function loadTheme(): Theme {
  const stored = read(themeKey);
  return themes.find((theme) => theme === stored) ?? 'system';
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Nothing is lost but the memory of it.
  }
}
