// The words of the views that are loaded when they are first shown.

import { language } from '..';
import { en } from './en';
import { zh } from './zh';

const tables = { en, zh };

/** The words of the language in use; ask each time something is drawn. */
export function words(): typeof en {
  return tables[language];
}
