// What looks the page remembers between visits, in the browser alone. Storage
// can be missing, full or forbidden; then it is as if nothing had been kept.

const themeKey = 'drawbridge.theme';

export const themes = ['system', 'light', 'dark', 'contrast'] as const;
export type Theme = (typeof themes)[number];

export function saveTheme(theme: Theme): void {
  write(themeKey, theme);
}

export function loadTheme(): Theme {
  const stored = read(themeKey);
  return themes.find((theme) => theme === stored) ?? 'system';
}

/** Where things are kept; undefined where the browser forbids it. */
export function storage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
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
