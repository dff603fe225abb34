import { useEffect, useState } from 'preact/hooks';
import type { App } from '../app';
import { Standing, type Asked, type Question } from '../standing';

/**
 * What the core says to a question about the text on the screen, or one of its
 * own, as long as what asks is shown. Until a new answer is there the old one
 * stays.
 */
export function useAnswer<R>(
  app: App,
  operation: string,
  question: Omit<Question, 'operation'> = {},
): Asked<R> {
  const [asked, setAsked] = useState<Asked<R>>({});
  const [standing] = useState(() => new Standing<R>(app, setAsked));
  useEffect(() => standing.put({ operation, ...question }), [operation, JSON.stringify(question)]);
  useEffect(() => () => standing.end(), []);
  return asked;
}
