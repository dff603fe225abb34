import { outcomeLooks } from '../answers';
import type { App } from '../app';
import type { CapacityResult } from '../api';
import { isPending, subjectOf, subjects } from '../selection';
import { sameSelected } from '../state';
import { Compare } from './Compare';
import { Fixes } from './Fixes';
import { Picture } from './Picture';
import { Reasons } from './Reasons';
import { t } from '../texts';
import { useParts } from './parts';

/** One pod or claim looked at closely: why not, what would help, how many more. */
export function Why({ app }: { app: App }) {
  const { allocate, selected, closer } = useParts(app, 'allocate', 'selected', 'closer');
  if (!allocate) return null;
  const all = subjects(allocate.result);
  if (all.length === 0) {
    return <p class="calm">{t.why.empty}</p>;
  }
  const subject = subjectOf(allocate.result, selected);
  const known = sameSelected(closer?.of, selected) ? closer : undefined;
  const explain = known?.explain;
  const groups = explain?.pod?.groups ?? explain?.claim?.groups ?? subject?.groups ?? [];
  return (
    <>
      <label class="field subject">
        <span class="field-name">{t.why.label}</span>
        <span class="select">
          <select
            value={selected ? `${selected.kind} ${selected.name}` : ''}
            onChange={(event) => {
              const [kind, name] = event.currentTarget.value.split(' ');
              if (kind === 'pod' || kind === 'claim') app.core.select({ kind, name: name! });
            }}
          >
            {!subject && <option value="">{t.why.choose}</option>}
            {all.map(({ selected: { kind, name }, outcome }) => (
              <option key={kind + name} value={`${kind} ${name}`}>
                {t.kinds[kind]} {name} {t.outcomes[outcome]}
              </option>
            ))}
          </select>
        </span>
      </label>
      {subject && (
        <div class="closer" data-subject={subject.selected.name} data-outcome={subject.outcome}>
          <p class="verdict">
            <span class={`outcome ${outcomeLooks[subject.outcome]}`}>
              {subject.node
                ? t.placed(t.outcomes[subject.outcome], subject.node)
                : t.outcomes[subject.outcome]}
            </span>{' '}
            {subject.message}
          </p>
          <Compare app={app} />
          {isPending(subject) && (
            <section aria-label={t.why.help}>
              <h2 class="group-title">{t.why.fits}</h2>
              {explain ? (
                <Fixes app={app} explain={explain} />
              ) : (
                <p class="calm" role="status">
                  {t.why.trying}
                </p>
              )}
            </section>
          )}
          {isPending(subject) && groups.length > 0 && (
            <section aria-label={t.why.reasons}>
              <h2 class="group-title">{t.why.because}</h2>
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
    <section class="capacity" aria-label={t.why.more} data-copies={copies}>
      <h2 class="group-title">{t.why.more}</h2>
      <p>
        {message}
        {!complete && ` ${t.why.perhaps}`}
      </p>
      {nodes.length > 1 && (
        <p class="meta">
          {nodes
            .slice(0, 8)
            .map(({ name, copies: n }) => `${name || t.why.assumed}: ${n}`)
            .join(t.units.comma)}
          {nodes.length > 8 && ` ${t.why.nodes(nodes.length - 8)}`}
        </p>
      )}
    </section>
  );
}
