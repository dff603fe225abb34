import type { ClaimRights, RightCheck, RightGrant, RightSource } from '../../api';
import type { App } from '../../app';
import { words } from '../../texts/beyond';
import { Said } from '../Said';

/** What must be allowed to write the status of a claim, and what allows it. */
export function Checks({ app, claim }: { app: App; claim: ClaimRights }) {
  return (
    <section class="claim-rights" data-claim={claim.claim} data-allowed={claim.allowed}>
      <h2>
        <span class="name">{claim.claim}</span>{' '}
        <Said app={app} location={claim.location} text={claim.message} />
      </h2>
      <ol class="checks">
        {claim.checks.map((check, index) => (
          <Check key={index} app={app} check={check} />
        ))}
      </ol>
    </section>
  );
}

function Check({ app, check }: { app: App; check: RightCheck }) {
  const w = words().rights;
  const { allowed, field, driver, message, asked } = check;
  const by = asked.find((ask) => ask.allowed)?.by;
  const what = driver ? w.devicesOf(driver) : field ? w.status(field) : w.request;
  return (
    <li data-check={field ?? 'request'} data-allowed={allowed}>
      <p>
        <span class={`outcome ${allowed ? 'good' : 'bad'}`}>{allowed ? w.allowed : w.refused}</span>{' '}
        <strong>{what}</strong> {message}
      </p>
      {by && <Grant app={app} by={by} />}
      <details>
        <summary>{w.asked(asked.length)}</summary>
        <ul class="dashes">
          {asked.map((ask, index) => (
            <li key={index}>
              <span class={`outcome ${ask.allowed ? 'good' : 'bad'}`}>
                {ask.allowed ? w.allowed : w.refused}
              </span>{' '}
              <code>
                {ask.verb} {ask.resource}
                {ask.subresource && `/${ask.subresource}`} {ask.name ?? w.any}
              </code>{' '}
              <span class="muted">{ask.namespace ? w.in(ask.namespace) : w.everywhere}</span>{' '}
              {!ask.allowed && ask.message}
            </li>
          ))}
        </ul>
      </details>
    </li>
  );
}

/** The rule that allows it, and how the subject has it; both lead to their lines. */
function Grant({ app, by }: { app: App; by: RightGrant }) {
  const w = words().rights;
  if (by.superuser) return <p class="meta">{w.superuser}</p>;
  return (
    <p class="meta">
      {by.role && <Source app={app} source={by.role} text={w.rule(by.rule + 1, nameOf(by.role))} />}
      {by.into && <Source app={app} source={by.into} text={w.aggregated(nameOf(by.into))} />}
      {by.binding && <Source app={app} source={by.binding} text={w.by(nameOf(by.binding))} />}
      {by.subject && <span>{by.subject}</span>}
    </p>
  );
}

function Source({ app, source, text }: { app: App; source: RightSource; text: string }) {
  const w = words().rights;
  return (
    <span>
      <Said app={app} location={source.location} text={text} />{' '}
      {source.location && w.line(source.location.line)}
      {source.builtIn && w.builtInRole}
    </span>
  );
}

const nameOf = ({ kind, namespace, name }: RightSource) =>
  `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
