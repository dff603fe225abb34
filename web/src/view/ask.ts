import { useEffect, useState } from 'preact/hooks';
import type { App } from '../app';
import type { Failure } from '../api';
import { useParts } from './parts';

/** What there is of an answer; nothing at all while it is awaited. */
export interface Asked<R> {
  result?: R;
  /** Why the core cannot answer, in its words. */
  refused?: string;
  /** There will be no answer. */
  none?: boolean;
}

/**
 * What the core says to a question, asked anew after each answer about the text.
 * Until the new answer is there the old one stays. A question that is undefined
 * is not asked.
 */
export function useAnswer<R>(
  app: App,
  operation: string,
  question: { text?: string; about?: (text: string) => string; options: object } | undefined,
): Asked<R> {
  const [asked, setAsked] = useState<Asked<R>>({});
  const { allocate, refusal, engine } = useParts(app, 'allocate', 'refusal', 'engine');
  const key = question && JSON.stringify([question.text, question.options]);
  useEffect(() => {
    if (!question) {
      setAsked({});
      return undefined;
    }
    let current = true;
    const { text, about, options } = question;
    const ready = engine.phase === 'ready';
    void app.core
      .answer(operation, text ?? about?.(app.text) ?? app.text, options)
      .then((found) => {
        if (!current) return;
        if (found) setAsked(read<R>(found));
        else if (ready) setAsked({ none: true });
      });
    return () => {
      current = false;
    };
    // A text that belongs to the question does not change with the one on the screen.
  }, [operation, key, question?.text === undefined && allocate, refusal, engine.phase]);
  return asked;
}

function read<R>(found: object): Asked<R> {
  if (!('error' in found)) return { result: found as R };
  const { option, message } = (found as Failure).error;
  return { refused: option ? `${option} ${message}` : message };
}
