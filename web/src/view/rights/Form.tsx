import type { Question } from '../../rights/question';
import { words } from '../../texts/beyond';
import type { Choice } from './Rights';

const verbs = ['update', 'patch', 'create'] as const;

/** Who writes, and what. */
export function Form({
  question,
  chosen,
  others,
  accounts,
  offers: { drivers, nodes },
  claims,
  change,
}: {
  question: Question;
  /** The drivers that are ticked. */
  chosen: readonly string[];
  others: string;
  accounts: readonly string[];
  offers: { drivers: readonly string[]; nodes: readonly string[] };
  claims: readonly string[];
  change: (change: Choice) => void;
}) {
  const w = words().rights;
  const toggle = (list: readonly string[], name: string) =>
    list.includes(name) ? list.filter((one) => one !== name) : [...list, name];
  return (
    <form class="rights-form" onSubmit={(event) => event.preventDefault()}>
      <label>
        {w.subject} {w.user}
        <input
          class="input"
          list="accounts"
          placeholder={w.subjectHint}
          value={question.who}
          onInput={(event) => change({ who: event.currentTarget.value.trim() })}
        />
      </label>
      <Names id="accounts" names={accounts} />
      <label>
        {w.verb}
        <select
          class="input"
          value={question.verb}
          onChange={(event) => change({ verb: event.currentTarget.value as Question['verb'] })}
        >
          {verbs.map((verb) => (
            <option key={verb} value={verb}>
              {verb}
            </option>
          ))}
        </select>
      </label>
      <label>
        {w.node}
        <input
          class="input"
          list="token-nodes"
          placeholder={w.none}
          value={question.node}
          onInput={(event) => change({ node: event.currentTarget.value.trim() })}
        />
      </label>
      <label>
        {w.allocated}
        <input
          class="input"
          list="token-nodes"
          placeholder={w.asInText}
          value={question.allocatedNode}
          onInput={(event) => change({ allocatedNode: event.currentTarget.value.trim() })}
        />
      </label>
      <Names id="token-nodes" names={nodes} />
      {claims.length > 1 && (
        <label>
          {w.claim}
          <select
            class="input"
            value={question.claim}
            onChange={(event) => change({ claim: event.currentTarget.value })}
          >
            <option value="">{w.anyClaim}</option>
            {claims.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <fieldset>
        <legend>{w.writes}</legend>
        {(['allocation', 'reservedFor'] as const).map((name) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={question.writes.includes(name)}
              onChange={() => change({ writes: toggle(question.writes, name) })}
            />{' '}
            {w[name]}
          </label>
        ))}
        {drivers.slice(0, 20).map((name) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={() => change({ drivers: toggle(chosen, name) })}
            />{' '}
            {w.driver(name)}
          </label>
        ))}
        <label class="wide">
          {w.drivers}
          <input
            class="input"
            placeholder={w.driversHint}
            value={others}
            onInput={(event) => change({ others: event.currentTarget.value })}
          />
        </label>
        <label class="wide">
          <input
            type="checkbox"
            checked={question.builtIn}
            onChange={() => change({ builtIn: !question.builtIn })}
          />{' '}
          {w.builtIn}
        </label>
      </fieldset>
      {question.writes.length + question.drivers.length === 0 && (
        <p class="muted wide">{w.asWritten}</p>
      )}
    </form>
  );
}

function Names({ id, names }: { id: string; names: readonly string[] }) {
  return (
    <datalist id={id}>
      {names.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
}
