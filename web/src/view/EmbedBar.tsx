import type { App } from '../app';
import { currentVersion } from '../state';
import { t } from '../texts';
import { Mark } from './icons';
import { useParts } from './parts';

/** What is left of the header where the page is a part of another one. */
export function EmbedBar({ app }: { app: App }) {
  const version = currentVersion(useParts(app, 'known', 'version'))?.version;
  return (
    <header class="header embed-bar">
      <h1 class="brand">
        <Mark />
        <span>Drawbridge</span>
      </h1>
      {version && <span class="muted">Kubernetes {version}</span>}
      <button type="button" class="button small" onClick={() => void app.sharing.openWhole()}>
        {t.embed.open}
      </button>
    </header>
  );
}
