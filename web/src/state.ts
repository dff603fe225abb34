// What the page shows, as one value, and the only ways in which it changes.

import type { AllocateResult, ValidateResult, VersionInfo, VersionsResult } from './api';
import type { Theme } from './draft';
import type { Failing, Loaded } from './engine/protocol';
import type { GateChoice } from './gates';

/** The views of the answer. */
export type Tab = 'problems' | 'allocation' | 'stored' | 'admission' | 'outline' | 'json';

export type EngineState =
  | { phase: 'loading'; received: number; total: number }
  | { phase: 'ready' }
  | { phase: 'failed'; failure: Failing };

export interface Answer<R> {
  result: R;
  raw: string;
  ms: number;
}

/** The options cannot be used, or the core could not answer. */
export interface Refusal {
  option: string;
  message: string;
}

export interface State {
  engine: EngineState;
  loaded: Loaded | undefined;
  coreVersion: string;
  known: VersionsResult;
  /** Chosen version; empty means the default. */
  version: string;
  gates: GateChoice;
  tab: Tab;
  /** There is room for one half only, so the text is a view like the others. */
  narrow: boolean;
  /** Where it is narrow: the text, not the answer. */
  showText: boolean;
  theme: Theme;
  validate: Answer<ValidateResult> | undefined;
  allocate: Answer<AllocateResult> | undefined;
  refusal: Refusal | undefined;
  /** A question is open. */
  busy: boolean;
  /** Seconds after which the last question was given up. */
  abandoned: number | undefined;
  notice: Notice | undefined;
  /** The step of the tour, from 0; undefined outside of it. */
  tour: number | undefined;
  /** Takes the new version of the page into use that has arrived. */
  update: (() => void) | undefined;
}

export interface Notice {
  id: number;
  tone: 'good' | 'bad';
  text: string;
}

export type Action =
  | { kind: 'progress'; received: number; total: number }
  | { kind: 'ready'; loaded: Loaded | undefined }
  | { kind: 'failed'; failure: Failing }
  | { kind: 'restart' }
  | { kind: 'abandoned'; seconds: number }
  | { kind: 'about'; coreVersion: string; known: VersionsResult }
  | { kind: 'asked' }
  | { kind: 'validated'; answer: Answer<ValidateResult> }
  | { kind: 'allocated'; answer: Answer<AllocateResult> }
  | { kind: 'refused'; refusal: Refusal }
  | { kind: 'choose'; version: string; gates: GateChoice }
  | { kind: 'tab'; tab: Tab | 'text' }
  | { kind: 'narrow'; narrow: boolean }
  | { kind: 'theme'; theme: Theme }
  | { kind: 'notice'; tone: 'good' | 'bad'; text: string }
  | { kind: 'unnotice'; id: number }
  | { kind: 'tour'; step: number | undefined }
  | { kind: 'update'; use: () => void };

export const initial: State = {
  engine: { phase: 'loading', received: 0, total: 0 },
  loaded: undefined,
  coreVersion: '',
  known: { default: '', versions: [] },
  version: '',
  gates: {},
  tab: 'allocation',
  narrow: false,
  showText: true,
  theme: 'system',
  validate: undefined,
  allocate: undefined,
  refusal: undefined,
  busy: false,
  abandoned: undefined,
  notice: undefined,
  tour: undefined,
  update: undefined,
};

export function reduce(state: State, action: Action): State {
  switch (action.kind) {
    case 'progress': {
      const { received, total } = action;
      return { ...state, engine: { phase: 'loading', received, total } };
    }
    case 'ready':
      return { ...state, engine: { phase: 'ready' }, loaded: action.loaded ?? state.loaded };
    case 'failed':
      return { ...state, engine: { phase: 'failed', failure: action.failure }, busy: false };
    case 'restart':
      return { ...state, engine: { phase: 'loading', received: 0, total: 0 } };
    case 'abandoned':
      return { ...state, abandoned: action.seconds, busy: false };
    case 'about':
      return { ...state, coreVersion: action.coreVersion, known: action.known };
    case 'asked':
      return { ...state, busy: true, abandoned: undefined };
    case 'validated':
      return { ...state, validate: action.answer, refusal: undefined };
    case 'allocated':
      return { ...state, allocate: action.answer, refusal: undefined, busy: false };
    case 'refused':
      return {
        ...state,
        refusal: action.refusal,
        validate: undefined,
        allocate: undefined,
        busy: false,
      };
    case 'choose':
      return { ...state, version: action.version, gates: action.gates };
    case 'tab':
      return action.tab === 'text'
        ? { ...state, showText: true }
        : { ...state, tab: action.tab, showText: false };
    case 'narrow':
      return { ...state, narrow: action.narrow };
    case 'theme':
      return { ...state, theme: action.theme };
    case 'notice': {
      const { tone, text } = action;
      return { ...state, notice: { id: (state.notice?.id ?? 0) + 1, tone, text } };
    }
    case 'update':
      return { ...state, update: action.use };
    case 'tour':
      return { ...state, tour: action.step };
    case 'unnotice':
      return state.notice?.id === action.id ? { ...state, notice: undefined } : state;
  }
}

/** The view that is in front: the text only where it takes turns with the others. */
export function inFront({ narrow, showText, tab }: State): Tab | 'text' {
  return narrow && showText ? 'text' : tab;
}

/** The version that answers: the chosen one, or the default where none is. */
export function currentVersion({ known, version }: State): VersionInfo | undefined {
  const find = (wanted: string) => known.versions.find((info) => info.version === wanted);
  return find(version) ?? find(known.default);
}
