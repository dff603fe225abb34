import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { App } from '../app';
import { t } from '../texts';

type View = ComponentType<{ app: App }>;

/**
 * A view that is loaded when it is first shown. Its file may be gone, because
 * the host has a newer page, or out of reach, because there is no network.
 */
export function later(load: () => Promise<View>): View {
  let loaded: View | undefined;
  return function Later({ app }) {
    const [view, setView] = useState<View | undefined>(() => loaded);
    const [failed, setFailed] = useState(false);
    const [turn, setTurn] = useState(0);
    useEffect(() => {
      let current = true;
      if (!loaded) {
        load().then(
          (found) => {
            loaded = found;
            if (current) setView(() => found);
          },
          () => current && setFailed(true),
        );
      }
      return () => {
        current = false;
      };
    }, [turn]);
    if (view) {
      const Found = view;
      return <Found app={app} />;
    }
    if (!failed) return <p class="calm">{t.later.loading}</p>;
    return (
      <section class="status bad" role="alert">
        <h2>{t.later.title}</h2>
        <p>{t.later.text}</p>
        <button
          type="button"
          class="button"
          onClick={() => {
            setFailed(false);
            setTurn(turn + 1);
          }}
        >
          {t.status.again}
        </button>
      </section>
    );
  };
}
