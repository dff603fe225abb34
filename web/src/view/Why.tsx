import { outcomeLooks, outcomeWords } from '../answers';
import type { App } from '../app';
import type { CapacityResult } from '../api';
import { count } from '../format';
import { isPending, subjectOf, subjects } from '../selection';
import { sameSelected } from '../state';
import { Compare } from './Compare';
import { Fixes } from './Fixes';
import { Picture } from './Picture';
import { Reasons } from './Reasons';

/** One pod or claim looked at closely: why not, what would help, how many more. */
export function Why({ app }: { app: App }) {
  const { allocate, selected, closer } = app.state;
  if (!allocate) return null;
  const all = subjects(allocate.result);
  if (all.length === 0) {
    return <p class="calm">There is no claim, and no pod that uses one. Open an example.</p>;
  }
  const subject = subjectOf(allocate.result, selected);
  const known = sameSelected(closer?.of, selected) ? closer : undefined;
  const explain = known?.explain;
  const groups = explain?.pod?.groups ?? explain?.claim?.groups ?? subject?.groups ?? [];
  return (
    <>
      <label class="field subject">
        <span class="field-name">Why</span>
        <span class="select">
          <select
            value={selected ? `${selected.kind} ${selected.name}` : ''}
            onChange={(event) => {
              const [kind, name] = event.currentTarget.value.split(' ');
              if (kind === 'pod' || kind === 'claim') app.select({ kind, name: name! });
            }}
          >
            {!subject && <option value="">choose a pod or claim</option>}
            {all.map(({ selected: { kind, name }, outcome }) => (
              <option key={kind + name} value={`${kind} ${name}`}>
                {kind} {name} {outcomeWords[outcome]}
              </option>
            ))}
          </select>
        </span>
      </label>
      {subject && (
        <div class="closer" data-subject={subject.selected.name} data-outcome={subject.outcome}>
          <p class="verdict">
            <span class={`outcome ${outcomeLooks[subject.outcome]}`}>
              {outcomeWords[subject.outcome]}
              {subject.node && ` on ${subject.node}`}
            </span>{' '}
            {subject.message}
          </p>
          <Compare app={app} />
          {isPending(subject) && (
            <section aria-label="What would help">
              <h2 class="group-title">It would fit</h2>
              {explain ? (
                <Fixes app={app} explain={explain} />
              ) : (
                <p class="calm" role="status">
                  Trying changes …
                </p>
              )}
            </section>
          )}
          {isPending(subject) && groups.length > 0 && (
            <section aria-label="Reasons">
              <h2 class="group-title">Because</h2>
              <Reasons app={app} groups={groups} />
            </section>
          )}
          {known?.capacity && <Capacity capacity={known.capacity} />}
          <Picture app={app} />
        </div>
      )}
    </>
  );
}

/** How many more of it there is room for. */
function Capacity({ capacity }: { capacity: CapacityResult }) {
  const { nodes, message, complete, copies } = capacity;
  return (
    <section class="capacity" aria-label="How many more" data-copies={copies}>
      <h2 class="group-title">How many more</h2>
      <p>
        {message}
        {!complete && ' There may be room for more.'}
      </p>
      {nodes.length > 1 && (
        <p class="meta">
          {nodes
            .slice(0, 8)
            .map(({ name, copies: n }) => `${name || 'the assumed node'}: ${n}`)
            .join(', ')}
          {nodes.length > 8 && ` and ${count(nodes.length - 8, 'node')} more`}
        </p>
      )}
    </section>
  );
}
