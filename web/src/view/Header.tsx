import type { App } from '../app';
import { applicable } from '../gates';
import { currentVersion } from '../state';
import { t } from '../texts';
import { ExamplesMenu } from './ExamplesMenu';
import { Chevron, Mark, Share, ThemeIcon } from './icons';
import { useParts } from './parts';

export function Header({ app, openGates }: { app: App; openGates(): void }) {
  const state = useParts(app, 'known', 'version', 'gates', 'theme');
  const current = currentVersion(state);
  const set = Object.keys(applicable(state.gates, current?.gates ?? [])).length;
  return (
    <header class="header">
      <h1 class="brand">
        <Mark />
        <span>Drawbridge</span>
      </h1>
      <div class="choices">
        <label class="field">
          <span class="field-name">Kubernetes</span>
          <span class="select">
            <select
              value={current?.version ?? ''}
              disabled={state.known.versions.length === 0}
              onChange={(event) => app.choose(event.currentTarget.value, state.gates)}
            >
              {state.known.versions.length === 0 && <option value="">…</option>}
              {state.known.versions.map(({ version }) => (
                <option key={version} value={version}>
                  {version}
                </option>
              ))}
            </select>
            <Chevron />
          </span>
        </label>
        <button
          type="button"
          class="button"
          aria-haspopup="dialog"
          disabled={!current}
          onClick={openGates}
        >
          {t.header.gates}
          {set > 0 && (
            <span class="badge">
              {set}
              <span class="badge-word"> {t.header.set}</span>
            </span>
          )}
        </button>
        <ExamplesMenu app={app} />
        <button type="button" class="button" onClick={() => app.tour(0)}>
          {t.tour.start}
        </button>
      </div>
      <div class="actions">
        <button
          type="button"
          class="button"
          aria-keyshortcuts="Control+K Meta+K"
          title={t.header.findHint}
          onClick={() => app.palette(true)}
        >
          {t.header.find}
        </button>
        <button type="button" class="button" onClick={() => void app.sharing.share()}>
          <Share />
          {t.header.share}
        </button>
        <button
          type="button"
          class="button square"
          aria-label={t.header.change(t.header.themes[state.theme])}
          title={t.header.colours(t.header.themes[state.theme])}
          onClick={() => app.cycleTheme()}
        >
          <ThemeIcon theme={state.theme} />
        </button>
      </div>
    </header>
  );
}
