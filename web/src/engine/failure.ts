// What a failure to load or run the core means, and what one can do about it.

import type { Failing } from './protocol';

export interface Explained {
  title: string;
  text: string;
}

const unsupported: Explained = {
  title: 'This browser cannot run the page',
  text: 'It has no WebAssembly, or it has been switched off. Use a current browser, or the command line.',
};

const blocked: Explained = {
  title: 'WebAssembly is blocked here',
  text: "The content security policy of this host does not allow it: script-src needs 'wasm-unsafe-eval'.",
};

const memory: Explained = {
  title: 'The browser ran out of memory',
  text: 'Close other tabs, or make the text smaller, and try again. Your text is still here.',
};

export function explain(failure: Failing, online = true): Explained {
  const { stage, status, detail } = failure;
  if (/WebAssembly is not defined/.test(detail)) return unsupported;
  if (/content security policy|unsafe-eval/i.test(detail)) return blocked;
  if (/out of memory|memory allocation|could not allocate|RangeError/i.test(detail)) return memory;
  switch (stage) {
    case 'fetch':
      return fetchFailed(status, online);
    case 'compile':
      return {
        title: 'The core arrived damaged',
        text: `What was loaded is not the module that belongs to this page. Reload the page. (${detail})`,
      };
    case 'start':
      return {
        title: 'The core did not start',
        text: `Try again, or reload the page. (${detail})`,
      };
    case 'run':
      return {
        title: 'The core stopped',
        text: `It has been given up on this text; change the text, or try again. (${detail})`,
      };
  }
}

function fetchFailed(status: number | undefined, online: boolean): Explained {
  const title = 'The core could not be loaded';
  if (status === 404) {
    return {
      title,
      text: 'Its file is not on this host: the page has probably been updated since you opened it. Reload the page.',
    };
  }
  if (status !== undefined) {
    return { title, text: `The host answered with HTTP ${status}. Try again in a moment.` };
  }
  return online
    ? {
        title,
        text: 'The connection to the host broke, or something on the way blocks it. Try again.',
      }
    : { title, text: 'You are offline. Try again when the connection is back.' };
}
