import { useEffect, useState } from 'preact/hooks';
import type { App } from '../app';
import { useParts } from './parts';

/**
 * What the core says to a question about the text that is on the screen. It is
 * asked again whenever the text has been validated anew; until then the old
 * answer stays.
 */
export function useInquiry<R>(app: App, operation: string, options: object): R | undefined {
  const [answer, setAnswer] = useState<R>();
  const key = JSON.stringify(options);
  const { validate, engine } = useParts(app, 'validate', 'engine');
  useEffect(() => {
    let current = true;
    void app.core.inquire(operation, options).then((result) => {
      if (current && result) setAnswer(result as R);
    });
    return () => {
      current = false;
    };
  }, [operation, key, validate?.raw, engine.phase]);
  return answer;
}
