import { useState } from 'preact/hooks';
import type { ConvertResult, NegotiateResult, Negotiation } from '../../api';
import type { App } from '../../app';
import { isOld } from '../../classic/old';
import { words } from '../../texts/beyond';
import { useAnswer } from '../ask';
import { Assumptions, Section, Taken } from '../beyond';
import { Missing } from '../Missing';
import { More } from '../More';
import { useParts } from '../parts';
import { Said } from '../Said';
import { Player } from './Player';
import '../../styles/node.css';

const looks: Record<Negotiation['outcome'], string> = {
  Scheduled: 'good',
  AlreadyScheduled: 'held',
  Stuck: 'bad',
  Undecided: 'unsure',
};

/** What Kubernetes 1.26 to 1.31 did with controllers of drivers, step by step. */
export function Classic({ app }: { app: App }) {
  const w = words().classic;
  const { version } = useParts(app, 'version', 'gates', 'known');
  const [fresh, setFresh] = useState(false);
  const [chosen, setChosen] = useState('');
  // A later version has no answer, so that the text decides which one it is.
  const alone = !/^1\.(?:2[6-9]|3[01])$/.test(version);
  const asked = useAnswer<NegotiateResult>(app, 'negotiation', {
    options: fresh ? { fresh } : {},
    alone,
  });
  const { result } = asked;
  if (!result || asked.refused !== undefined) return <Missing asked={asked} />;
  const { pods, assumptions } = result;
  const pod = pods.find((one) => nameOf(one) === chosen) ?? pods[0];
  return (
    <div class="classic-view">
      <p>{w.intro}</p>
      <p>
        <label>
          <input
            type="checkbox"
            checked={fresh}
            onChange={(event) => setFresh(event.currentTarget.checked)}
          />{' '}
          {w.fresh}
        </label>
      </p>
      {pods.length > 1 && (
        <p class="tools">
          <label>
            {w.pod}{' '}
            <select
              value={pod && nameOf(pod)}
              onChange={(event) => setChosen(event.currentTarget.value)}
            >
              {pods.slice(0, 500).map((one) => (
                <option key={nameOf(one)} value={nameOf(one)}>
                  {nameOf(one)}
                </option>
              ))}
            </select>
          </label>
        </p>
      )}
      {!pod && <p class="calm">{w.empty}</p>}
      {pod && (
        <article aria-label={nameOf(pod)} data-pod={pod.name} data-outcome={pod.outcome}>
          <p class="verdict">
            <span class={`outcome ${looks[pod.outcome]}`}>
              {pod.node ? w.on(w.outcomes[pod.outcome], pod.node) : w.outcomes[pod.outcome]}
            </span>{' '}
            <Said app={app} location={pod.location} text={pod.reason ?? nameOf(pod)} />
          </p>
          {pod.steps.length > 0 && <Player key={nameOf(pod)} app={app} steps={pod.steps} />}
        </article>
      )}
      <Section name="converted" title={w.replaced}>
        {() => <Converted app={app} />}
      </Section>
      <Assumptions list={assumptions} />
    </div>
  );
}

const nameOf = ({ namespace, name }: Negotiation) => `${namespace}/${name}`;

/** What takes the place of the old objects, and what is lost on the way. */
function Converted({ app }: { app: App }) {
  const w = words().classic;
  const asked = useAnswer<ConvertResult>(app, 'convert', {
    options: { apiVersion: 'resource.k8s.io/v1' },
  });
  const { validate } = useParts(app, 'validate');
  const { result } = asked;
  if (!result) return <Missing asked={asked} />;
  const findings = (validate?.result.diagnostics ?? []).filter(({ rule }) =>
    rule.startsWith('obsolete'),
  );
  return (
    <More
      all={result.objects.filter(isOld)}
      step={20}
      what={w.objects}
      item={({ index, kind, name, text, changes }) => (
        <section key={index} data-converted={name}>
          <h3>
            <span class="kind">{kind}</span> <span class="name">{name}</span>
          </h3>
          <ul class="dashes">
            {findings
              .filter(({ object }) => object?.index === index)
              .map(({ message, location, suggestion }) => (
                <li key={message}>
                  <Said app={app} location={location} text={message} /> {suggestion?.message}
                </li>
              ))}
            {changes
              .filter(({ what }) => what !== 'default')
              .map(({ what, field, message: said, location }) => (
                <li key={what + field}>
                  <strong>{w.losses[what]}</strong>{' '}
                  <Said app={app} location={location} text={said} />
                </li>
              ))}
          </ul>
          {text && <Taken app={app} text={text} label={w.asV1(`${kind} ${name}`)} />}
        </section>
      )}
    />
  );
}
