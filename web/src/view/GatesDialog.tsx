import { useEffect, useRef, useState } from 'preact/hooks';
import type { GateInfo } from '../api';
import type { App } from '../app';
import { count, list } from '../format';
import { applicable, isOn, setGate, type GateChoice } from '../gates';
import { currentVersion } from '../state';
import { Close } from './icons';

/** The feature gates of the chosen version, each with its stage and default. */
export function GatesDialog({ app, open, close }: { app: App; open: boolean; close(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [filter, setFilter] = useState('');
  const { gates: choice, version } = app.state;
  const current = currentVersion(app.state);
  const gates = current?.gates ?? [];
  const changed = applicable(choice, gates);
  const changedCount = Object.keys(changed).length;
  const shown = gates.filter(({ name }) =>
    name.toLowerCase().includes(filter.toLowerCase().trim()),
  );

  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);

  return (
    <dialog
      class="dialog"
      ref={dialog}
      aria-labelledby="gates-title"
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div class="dialog-head">
        <h2 id="gates-title">Feature gates of Kubernetes {current?.version}</h2>
        <button type="button" class="button square quiet" aria-label="Close" onClick={close}>
          <Close />
        </button>
      </div>
      <div class="dialog-tools">
        <input
          type="search"
          class="input"
          aria-label="Search gates"
          placeholder="Search"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        <button
          type="button"
          class="button"
          disabled={changedCount === 0}
          onClick={() => app.choose(version, {})}
        >
          Reset all
        </button>
        <span class="muted">
          {changedCount > 0 ? `${changedCount} changed` : 'all at their default'}
        </span>
      </div>
      <ul class="gates">
        {shown.map((gate) => (
          <Gate
            key={gate.name}
            gate={gate}
            choice={choice}
            changed={gate.name in changed}
            set={(on) => app.choose(version, setGate(choice, gates, gate.name, on))}
          />
        ))}
      </ul>
      {shown.length === 0 && (
        <p class="muted">None of {count(gates.length, 'gate')} has that name.</p>
      )}
    </dialog>
  );
}

function Gate(props: {
  gate: GateInfo;
  choice: GateChoice;
  changed: boolean;
  set(on: boolean): void;
}) {
  const { gate, choice, changed, set } = props;
  const notes = [
    gate.locked
      ? 'always ' + (gate.default ? 'on' : 'off')
      : gate.default
        ? 'on by default'
        : 'off by default',
  ];
  if (gate.needs.length) notes.push(`needs ${list(gate.needs, 9)}`);
  return (
    <li class={changed ? 'gate changed' : 'gate'}>
      <label>
        <input
          type="checkbox"
          checked={isOn(choice, gate)}
          disabled={gate.locked}
          onChange={(event) => set(event.currentTarget.checked)}
        />
        <span class="gate-name">{gate.name}</span>
        <span class={`stage stage-${gate.stage.toLowerCase()}`}>{gate.stage}</span>
        <span class="gate-note">{notes.join('; ')}</span>
      </label>
    </li>
  );
}
