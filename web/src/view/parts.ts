import { Component, h, options, type ComponentChild, type ComponentType } from 'preact';
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks';
import type { App } from '../app';
import type { State } from '../state';
import { differs } from '../store';

let waiting: (() => void) | undefined;

// What is to be drawn is drawn when the task that changed it is at its end.
options.debounceRendering = (draw) => {
  waiting = draw;
  queueMicrotask(drawNow);
};

/** Draws at once what waits to be drawn, for who moves the focus there. */
export function drawNow(): void {
  const draw = waiting;
  waiting = undefined;
  draw?.();
}

/**
 * These parts of the state. What asks for them is drawn anew when one of them
 * has changed, or the language; a change of others leaves it as it is.
 */
export function useParts<K extends keyof State>(app: App, ...parts: readonly K[]): Pick<State, K> {
  const [, redraw] = useReducer((n: number, _: void) => n + 1, 0);
  const drawn = useRef(app.state);
  drawn.current = app.state;
  useLayoutEffect(() => {
    const look = () => {
      const before = drawn.current;
      if (before === app.state) return;
      // Once is enough, however many changes there are before it is drawn.
      drawn.current = app.state;
      if (differs(before, app.state, [...parts, 'language'])) redraw();
    };
    look();
    return app.store.watch(look);
  }, [app]);
  return app.state;
}

/** Something that follows from the state; a change of the state that leaves it the same draws nothing. */
export function useDerived<T>(app: App, derive: (state: State) => T): T {
  const [, redraw] = useReducer((n: number, _: void) => n + 1, 0);
  const value = derive(app.state);
  const drawn = useRef({ value, derive });
  drawn.current = { value, derive };
  useLayoutEffect(
    () =>
      app.store.watch(() => {
        const next = drawn.current.derive(app.state);
        if (next === drawn.current.value) return;
        drawn.current.value = next;
        redraw();
      }),
    [app],
  );
  return value;
}

/** A view that is not drawn anew while everything that it is given stays the same. */
export function sparing<P extends object>(View: (props: P) => ComponentChild): ComponentType<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      const before = this.props as Record<string, unknown>;
      return Object.entries(next).some(([name, value]) => before[name] !== value);
    }
    override render(): ComponentChild {
      return h(View as ComponentType<P>, this.props as P);
    }
  };
}
