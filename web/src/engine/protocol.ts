// What the page and its worker say to each other.

import type { Part } from './parts';

export interface Start {
  kind: 'start';
  /** A module that an earlier worker has compiled; else it is loaded. */
  module?: WebAssembly.Module;
}

export interface Call {
  kind: 'call';
  id: number;
  operation: string;
  text: string;
  options: string;
}

export type ToWorker = Start | Call;

export type FromWorker =
  | { kind: 'progress'; received: number; total: number }
  | { kind: 'ready'; module: WebAssembly.Module; loaded: Loaded | undefined }
  | { kind: 'failed'; failure: Failing }
  | ({ kind: 'working'; id: number } & Working)
  | ({ kind: 'part'; id: number } & Part)
  | { kind: 'answer'; id: number; raw: string; head: unknown; ms: number };

/** How far the core is with a question: so many of so many pods, tries or copies. */
export interface Working {
  done: number;
  total: number;
  what: string;
}

/** How much was loaded: the module's size, and its size on the way if known. */
export interface Loaded {
  bytes: number;
  transferred: number | undefined;
}

export interface Failing {
  stage: 'fetch' | 'compile' | 'start' | 'run';
  status?: number;
  detail: string;
}
