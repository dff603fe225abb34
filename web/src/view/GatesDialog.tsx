import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { GateInfo } from '../api';
import type { App } from '../app';
import { list } from '../format';
import { applicable, isOn, setGate, unsetGate, type GateChoice } from '../gates';
import { currentVersion } from '../state';
import { t } from '../texts';
import { Close } from './icons';
import { useParts } from './parts';

/** The feature gates of the chosen version, each with its stage and default. */
export function GatesDialog({ app, open, close }: { app: App; open: boolean; close(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [filter, setFilter] = useState('');
  const state = useParts(app, 'gates', 'known', 'version');
  const { gates: choice, version } = state;
  const current = currentVersion(state);
  const gates = current?.gates ?? [];
  const set = applicable(choice, gates);
  const setCount = Object.keys(set).length;
  const shown = gates.filter(({ name }) =>
    name.toLowerCase().includes(filter.toLowerCase().trim()),
  );

  useLayoutEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);

  return (
    <dialog
      class="dialog"
      ref={dialog}
      aria-labelledby="gates-title"
      // It comes late, when the dialog may be open again.
      onClose={() => dialog.current?.open || close()}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.isComposing) return;
        event.preventDefault();
        close();
      }}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div class="dialog-head">
        <h2 id="gates-title">{t.gates.title(current?.version ?? '')}</h2>
        <button
          type="button"
          class="button square quiet"
          aria-label={t.gates.close}
          onClick={close}
        >
          <Close />
        </button>
      </div>
      <div class="dialog-tools">
        <input
          type="search"
          class="input"
          aria-label={t.gates.search}
          placeholder={t.gates.placeholder}
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        <button
          type="button"
          class="button"
          disabled={setCount === 0}
          onClick={() => app.choose(version, {})}
        >
          {t.gates.unsetAll}
        </button>
        <span class="muted">{t.gates.set(setCount)}</span>
      </div>
      <p class="dialog-note muted">{t.gates.note}</p>
      <ul class="gates">
        {shown.map((gate) => (
          <Gate
            key={gate.name}
            gate={gate}
            choice={choice}
            isSet={gate.name in set}
            set={(on) => app.choose(version, setGate(choice, gates, gate.name, on))}
            unset={() => app.choose(version, unsetGate(choice, gates, gate.name))}
          />
        ))}
      </ul>
      {shown.length === 0 && <p class="none muted">{t.gates.none(gates.length)}</p>}
    </dialog>
  );
}

function Gate(props: {
  gate: GateInfo;
  choice: GateChoice;
  isSet: boolean;
  set(on: boolean): void;
  unset(): void;
}) {
  const { gate, choice, isSet, set, unset } = props;
  const notes = [
    gate.locked
      ? gate.default
        ? t.gates.alwaysOn
        : t.gates.alwaysOff
      : gate.default
        ? t.gates.on
        : t.gates.off,
  ];
  if (gate.needs.length) notes.push(t.gates.needs(list(gate.needs, 9)));
  return (
    <li class={isSet ? 'gate is-set' : 'gate'}>
      <label>
        <input
          type="checkbox"
          checked={isOn(choice, gate)}
          disabled={gate.locked}
          onChange={(event) => set(event.currentTarget.checked)}
        />
        <span class="gate-name">{gate.name}</span>
        <span class={`stage stage-${gate.stage.toLowerCase()}`}>{gate.stage}</span>
        <span class="gate-note">{notes.join(t.gates.and)}</span>
      </label>
      {isSet && (
        <button
          type="button"
          class="button small"
          aria-label={t.gates.unsetOne(gate.name)}
          onClick={unset}
        >
          {t.gates.unset}
        </button>
      )}
    </li>
  );
}
