import { describe, expect, it } from 'vitest';
import { steps } from '../tour';
import { en as beyondEn } from './beyond/en';
import { zh as beyondZh } from './beyond/zh';
import { en } from './en';
import { preferred } from './index';
import { zh } from './zh';

/** Every key with the kind of its value, as in "tour.steps.0.title string". */
function keys(table: object, path = ''): string[] {
  return Object.entries(table).flatMap(([key, value]: [string, unknown]) => {
    const here = path ? `${path}.${key}` : key;
    if (typeof value === 'object' && value !== null) return keys(value, here);
    return [`${here} ${typeof value}`];
  });
}

function strings(table: object): string[] {
  return Object.values(table).flatMap((value: unknown) =>
    typeof value === 'object' && value !== null ? strings(value) : [String(value)],
  );
}

describe('texts', () => {
  it.each([
    ['the page', en, zh],
    ['the views that are loaded later', beyondEn, beyondZh],
  ])('of %s are there in both languages', (_, english, chinese) => {
    expect(keys(chinese)).toEqual(keys(english));
    const all = [...strings(english), ...strings(chinese)];
    expect(all.filter((text) => text.trim() === '')).toEqual([]);
  });
  it('have words for each step of the tour', () => {
    expect(en.tour.steps).toHaveLength(steps.length);
  });
});

describe('the language', () => {
  it('is the one that was chosen, or the first of the browser that is known', () => {
    expect(preferred('zh', ['en-US'])).toBe('zh');
    expect(preferred(null, ['fr-FR', 'zh-Hant-TW', 'en'])).toBe('zh');
    expect(preferred('xx', ['EN-gb'])).toBe('en');
    expect(preferred(null, [])).toBe('en');
  });
});
