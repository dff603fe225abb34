import type { Diagnostic, ObjectRef } from '../api';
import { bySeverity, ruleLink } from '../answers';
import type { App } from '../app';
import { t } from '../texts';
import { severityShape } from './icons';
import { most, Rest } from './Rest';
import { useParts } from './parts';

export function Problems({ app }: { app: App }) {
  const result = useParts(app, 'validate').validate?.result;
  if (!result) return null;
  const groups = bySeverity(result.diagnostics);
  if (groups.length === 0) {
    return (
      <p class="calm">
        {result.objects.length === 0
          ? t.problems.empty
          : t.problems.none(result.objects.length, result.kubernetesVersion)}
      </p>
    );
  }
  return (
    <>
      {groups.map(([severity, list]) => (
        <section key={severity} class="problem-group" aria-label={t.problems.groups[severity]}>
          <h2 class="group-title">{t.problems.counts[severity](list.length)}</h2>
          <ul class="problems">
            {list.slice(0, most).map((diagnostic, index) => (
              <Problem key={index} app={app} diagnostic={diagnostic} />
            ))}
          </ul>
          <Rest all={list.length} what={t.problems.counts[severity]} />
        </section>
      ))}
    </>
  );
}

function Problem({ app, diagnostic }: { app: App; diagnostic: Diagnostic }) {
  const { severity, location, object, suggestion, related = [] } = diagnostic;
  return (
    <li class={`problem ${severity}`} data-rule={diagnostic.rule}>
      <span class="shape" role="img" aria-label={t.problems.severities[severity]}>
        {severityShape[severity]}
      </span>
      <div class="problem-body">
        {location ? (
          <button type="button" class="plain problem-text" onClick={() => app.goTo(location)}>
            {diagnostic.message}
          </button>
        ) : (
          <p class="problem-text">{diagnostic.message}</p>
        )}
        <p class="meta">
          {location && <span class="line">{t.line(location.line)}</span>}
          {object && <span>{objectName(object)}</span>}
          {diagnostic.field && <code>{diagnostic.field}</code>}
          <a class="rule" href={ruleLink(diagnostic)} target="_blank">
            <code>
              {diagnostic.source}/{diagnostic.rule}
            </code>
          </a>
        </p>
        {related.map(({ message, location: place }, index) => (
          <p key={index} class="related">
            {place ? (
              <button type="button" class="plain" onClick={() => app.goTo(place)}>
                {t.lineSays(place.line, message)}
              </button>
            ) : (
              message
            )}
          </p>
        ))}
        {suggestion &&
          (suggestion.location ? (
            <button type="button" class="button small" onClick={() => app.fix(suggestion)}>
              {suggestion.message}
            </button>
          ) : (
            <p class="related">{suggestion.message}</p>
          ))}
      </div>
    </li>
  );
}

function objectName({ kind, namespace, name }: ObjectRef): string {
  return [kind || t.problems.object, namespace ? `${namespace}/${name}` : name]
    .filter(Boolean)
    .join(' ');
}
