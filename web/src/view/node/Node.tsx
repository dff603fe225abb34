import { useState } from 'preact/hooks';
import type { NodeOperationsResult, PodOperations } from '../../api';
import type { App } from '../../app';
import { driversOf } from '../../node/lanes';
import { words } from '../../texts/beyond';
import { useAnswer } from '../ask';
import { Assumptions, Section } from '../beyond';
import { Missing } from '../Missing';
import { More } from '../More';
import { useParts } from '../parts';
import { Said } from '../Said';
import { Calls } from './Calls';
import { Check } from './Check';
import { Files } from './Files';
import { Health } from './Health';
import { Lanes } from './Lanes';
import { Monitoring } from './Monitoring';
import '../../styles/node.css';

/** What a kubelet does with the claims of a pod, and what its containers and others see of it. */
export function Node({ app }: { app: App }) {
  const w = words();
  useParts(app, 'version', 'gates', 'known');
  const [absent, setAbsent] = useState<ReadonlySet<string>>(new Set());
  const [node, setNode] = useState('');
  const [chosen, setChosen] = useState('');
  const options = absent.size > 0 ? { absentDrivers: [...absent].sort().join(',') } : {};
  const asked = useAnswer<NodeOperationsResult>(app, 'nodeOperations', { options });
  const { result } = asked;
  if (!result) return <Missing asked={asked} />;
  const { pods, undeclared = [], assumptions } = result;
  if (pods.length === 0) return <p class="calm">{w.node.empty}</p>;
  const nodes = [...new Set(pods.flatMap((pod) => pod.node ?? []))].sort();
  const here = nodes.includes(node) ? pods.filter((pod) => pod.node === node) : pods;
  const pod = here.find((one) => nameOf(one) === chosen) ?? worst(here);
  return (
    <div class="node-view">
      <div class="tools">
        {nodes.length > 1 && (
          <label>
            {w.node.node}{' '}
            <select value={node} onChange={(event) => setNode(event.currentTarget.value)}>
              <option value="">{w.node.all}</option>
              {nodes.slice(0, 1000).map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        <button
          type="button"
          class="button small"
          onClick={() =>
            void app.sharing.copy(
              app.sharing.commands('node-operations', { ...app.core.options(), ...options }).curl(),
            )
          }
        >
          {w.curl}
        </button>
      </div>
      <div class="chips" role="group" aria-label={w.node.pods}>
        <More
          all={here}
          step={40}
          what={w.node.pods}
          item={(one) => (
            <Chip
              key={nameOf(one)}
              pod={one}
              chosen={one === pod}
              choose={() => setChosen(nameOf(one))}
            />
          )}
        />
      </div>
      <One app={app} pod={pod} absent={absent} setAbsent={setAbsent} />
      {undeclared.length > 0 && (
        <section>
          <h2 class="group-title">{w.node.undeclared}</h2>
          <ul class="dashes">
            <More
              all={undeclared}
              step={20}
              what={w.node.moreNodes}
              item={({ name, message, location }) => (
                <li key={name}>
                  <Said app={app} location={location} text={message} />
                </li>
              )}
            />
          </ul>
        </section>
      )}
      <Section name="files" title={w.node.files.title}>
        {() => <Files app={app} pod={pod} />}
      </Section>
      <Section name="monitoring" title={w.node.monitoring.title}>
        {() => <Monitoring app={app} node={node || pod.node || ''} />}
      </Section>
      <Section name="health" title={w.node.health.title}>
        {() => <Health app={app} pod={pod} options={options} />}
      </Section>
      <Section name="check" title={w.node.check.title}>
        {() => <Check app={app} />}
      </Section>
      <Assumptions list={assumptions} />
    </div>
  );
}

export const nameOf = ({ namespace, name }: Pick<PodOperations, 'namespace' | 'name'>) =>
  `${namespace}/${name}`;

const badness: Record<PodOperations['state'], number> = {
  Refused: 0,
  Waits: 1,
  Terminating: 2,
  Starts: 3,
  Runs: 4,
  NoNode: 5,
  Ended: 6,
};

const looks: Record<PodOperations['state'], string> = {
  Refused: 'bad',
  Waits: 'bad',
  Terminating: 'unsure',
  Starts: 'good',
  Runs: 'good',
  NoNode: 'unsure',
  Ended: 'held',
};

/** The pod to look at before somebody has chosen: the first of those that are worst off. */
function worst(pods: readonly PodOperations[]): PodOperations {
  return pods.reduce((a, b) => (badness[b.state] < badness[a.state] ? b : a));
}

function Chip({
  pod,
  chosen,
  choose,
}: {
  pod: PodOperations;
  chosen: boolean;
  choose: () => void;
}) {
  const { name, state } = pod;
  return (
    <button
      type="button"
      class={`chip ${looks[state]}`}
      aria-pressed={chosen}
      data-pod={name}
      data-outcome={state}
      onClick={choose}
    >
      <span class="name">{name}</span> <span>{words().node.states[state]}</span>
    </button>
  );
}

function One({
  app,
  pod,
  absent,
  setAbsent,
}: {
  app: App;
  pod: PodOperations;
  absent: ReadonlySet<string>;
  setAbsent: (absent: ReadonlySet<string>) => void;
}) {
  const w = words();
  const { state, message, location, claims = [], remedies = [], steps = [] } = pod;
  const drivers = [...new Set([...driversOf(claims), ...absent])];
  const phases = [pod.start, pod.stop];
  return (
    <article aria-label={nameOf(pod)} data-node-pod={nameOf(pod)} data-state={state}>
      <p class="verdict">
        <Said app={app} location={location} text={message} />
      </p>
      {phases.map(
        (phase, index) =>
          phase?.reads && (
            <p key={index} class="reads">
              <span class="kind">{w.node.reads}</span> <code>{phase.reads}</code>
            </p>
          ),
      )}
      {remedies.length > 0 && (
        <section>
          <h2 class="group-title">{w.node.remedies}</h2>
          <ul class="dashes">
            {remedies.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </section>
      )}
      {drivers.length > 0 && (
        <fieldset class="plugins">
          <legend class="group-title">{w.node.plugins}</legend>
          {drivers.map((driver) => (
            <label key={driver}>
              <input
                type="checkbox"
                checked={absent.has(driver)}
                onChange={(event) => {
                  const next = new Set(absent);
                  if (event.currentTarget.checked) next.add(driver);
                  else next.delete(driver);
                  setAbsent(next);
                }}
              />{' '}
              {w.node.absent(driver)}
            </label>
          ))}
        </fieldset>
      )}
      {steps.length > 0 && <Lanes app={app} pod={pod} />}
      {claims.length > 0 && <Calls app={app} claims={claims} />}
    </article>
  );
}
