// What the page shows, as one value, and the only ways in which it changes.

import type {
  AllocateResult,
  CapacityResult,
  DiffResult,
  ExplainResult,
  ValidateResult,
  VersionInfo,
  VersionsResult,
} from './api';
import type { Theme } from './draft';
import type { Failing, Loaded, Working } from './engine/protocol';
import type { GateChoice } from './gates';
import type { Language } from './texts';

/** The views of the answer. */
export type Tab =
  | 'problems'
  | 'allocation'
  | 'why'
  | 'node'
  | 'rights'
  | 'classic'
  | 'stored'
  | 'admission'
  | 'outline'
  | 'json';

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

/** The pod or claim whose answer is looked at closely, as namespace/name. */
export interface Selected {
  kind: 'pod' | 'claim';
  name: string;
}

/** What is said of the selected one, and how many more of it there is room for. */
export interface Closer {
  of: Selected;
  explain?: ExplainResult;
  capacity?: CapacityResult;
}

/** The text and options that later answers are compared with. */
export interface Baseline {
  text: string;
  version: string;
  gates: GateChoice;
  /** What was changed, in words. */
  change: string;
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
  selected: Selected | undefined;
  closer: Closer | undefined;
  baseline: Baseline | undefined;
  diff: DiffResult | undefined;
  /** The line of the text on which the cursor is. */
  line: number;
  /** What is searched for in the picture. */
  filter: string;
  palette: boolean;
  /** How far the core is, if it takes long. */
  working: Working | undefined;
  /** What the core is at, and since when. */
  stage: Stage | undefined;
  /** A question is open. */
  busy: boolean;
  /** The text is another than the one that was asked about last. */
  typed: boolean;
  /** How often the core was asked about the text. */
  asked: number;
  /** How often the list of texts has changed. */
  desk: number;
  language: Language;
  /** Seconds after which the last question was given up. */
  abandoned: number | undefined;
  notice: Notice | undefined;
  /** The step of the tour, from 0; undefined outside of it. */
  tour: number | undefined;
  /** Takes the new version of the page into use that has arrived. */
  update: (() => void) | undefined;
}

export interface Stage {
  operation: string;
  /** When this question was begun, on the clock of performance.now. */
  since: number;
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
  | { kind: 'typed' }
  | { kind: 'asked' }
  | { kind: 'began'; operation: string; at: number }
  | { kind: 'validated'; answer: Answer<ValidateResult> }
  | { kind: 'allocated'; answer: Answer<AllocateResult> }
  | { kind: 'refused'; refusal: Refusal }
  | { kind: 'working'; working: Working }
  | { kind: 'done' }
  | { kind: 'select'; selected: Selected | undefined }
  | { kind: 'explained'; explain: ExplainResult | undefined }
  | { kind: 'counted'; capacity: CapacityResult | undefined }
  | { kind: 'baseline'; baseline: Baseline | undefined }
  | { kind: 'compared'; diff: DiffResult | undefined }
  | { kind: 'line'; line: number }
  | { kind: 'filter'; filter: string }
  | { kind: 'palette'; open: boolean }
  | { kind: 'choose'; version: string; gates: GateChoice }
  | { kind: 'tab'; tab: Tab | 'text' }
  | { kind: 'narrow'; narrow: boolean }
  | { kind: 'theme'; theme: Theme }
  | { kind: 'language'; language: Language }
  | { kind: 'desk' }
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
  selected: undefined,
  closer: undefined,
  baseline: undefined,
  diff: undefined,
  line: 0,
  filter: '',
  palette: false,
  working: undefined,
  stage: undefined,
  busy: false,
  typed: false,
  asked: 0,
  desk: 0,
  language: 'en',
  abandoned: undefined,
  notice: undefined,
  tour: undefined,
  update: undefined,
};

/** The core has nothing to do. */
const idle = { busy: false, working: undefined, stage: undefined };

export function reduce(state: State, action: Action): State {
  switch (action.kind) {
    case 'progress': {
      const { received, total } = action;
      return { ...state, engine: { phase: 'loading', received, total } };
    }
    case 'ready':
      return { ...state, engine: { phase: 'ready' }, loaded: action.loaded ?? state.loaded };
    case 'failed':
      return {
        ...state,
        engine: { phase: 'failed', failure: action.failure },
        ...idle,
      };
    case 'restart':
      return { ...state, engine: { phase: 'loading', received: 0, total: 0 } };
    case 'abandoned':
      return { ...state, abandoned: action.seconds, ...idle };
    case 'about':
      return { ...state, coreVersion: action.coreVersion, known: action.known };
    case 'typed':
      return state.typed ? state : { ...state, typed: true };
    case 'asked':
      return {
        ...state,
        ...idle,
        busy: true,
        typed: false,
        asked: state.asked + 1,
        abandoned: undefined,
      };
    case 'began':
      return {
        ...state,
        stage: { operation: action.operation, since: state.stage?.since ?? action.at },
        working: undefined,
      };
    case 'validated':
      return { ...state, validate: action.answer, refusal: undefined };
    case 'allocated':
      return {
        ...state,
        allocate: action.answer,
        refusal: undefined,
        ...idle,
      };
    case 'refused':
      return {
        ...state,
        refusal: action.refusal,
        validate: undefined,
        allocate: undefined,
        closer: undefined,
        diff: undefined,
        ...idle,
      };
    case 'working':
      return { ...state, working: action.working };
    case 'done':
      return { ...state, working: undefined, stage: undefined };
    case 'select':
      return sameSelected(state.selected, action.selected)
        ? state
        : { ...state, selected: action.selected, closer: undefined };
    case 'explained':
      return state.selected && action.explain
        ? { ...state, closer: { ...closerOf(state), explain: action.explain } }
        : { ...state, closer: undefined };
    case 'counted':
      return state.selected && action.capacity
        ? { ...state, closer: { ...closerOf(state), capacity: action.capacity } }
        : state;
    case 'baseline':
      return { ...state, baseline: action.baseline, diff: undefined };
    case 'compared':
      return { ...state, diff: state.baseline && action.diff };
    case 'line':
      return action.line === state.line ? state : { ...state, line: action.line };
    case 'filter':
      return { ...state, filter: action.filter };
    case 'palette':
      return { ...state, palette: action.open };
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
    case 'language':
      return { ...state, language: action.language };
    case 'desk':
      return { ...state, desk: state.desk + 1 };
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

export function sameSelected(a: Selected | undefined, b: Selected | undefined): boolean {
  return a?.kind === b?.kind && a?.name === b?.name;
}

/** The text as it is has no answer yet, whether it was asked about or is about to be. */
export function awaited({ busy, typed }: Pick<State, 'busy' | 'typed'>): boolean {
  return busy || typed;
}

/** What is known of the selected one. */
function closerOf({ closer, selected }: State): Closer {
  return closer && sameSelected(closer.of, selected) ? closer : { of: selected! };
}

/** The view that is in front: the text only where it takes turns with the others. */
export function inFront({
  narrow,
  showText,
  tab,
}: Pick<State, 'narrow' | 'showText' | 'tab'>): Tab | 'text' {
  return narrow && showText ? 'text' : tab;
}

/** The version that answers: the chosen one, or the default where none is. */
export function currentVersion({
  known,
  version,
}: Pick<State, 'known' | 'version'>): VersionInfo | undefined {
  const find = (wanted: string) => known.versions.find((info) => info.version === wanted);
  return find(version) ?? find(known.default);
}
