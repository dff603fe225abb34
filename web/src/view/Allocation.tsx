import { useMemo } from 'preact/hooks';
import { ReasonHead } from './ReasonHead';
import {
  allocationView,
  devicesOf,
  groupNodes,
  letter,
  outcomeLooks,
  type MarkedClaim,
  type PodView,
} from '../answers';
import type { DeviceAllocation, Location, NodeGroup, NodeResult, PodResult, Reason } from '../api';
import type { App } from '../app';
import { list } from '../format';
import { isPending, subjectOf } from '../selection';
import { Chips } from './Chips';
import { Compare } from './Compare';
import { More } from './More';
import { Picture } from './Picture';
import { Reasons } from './Reasons';
import { most, Rest } from './Rest';
import { t } from '../texts';
import { useParts } from './parts';

export function Allocation({ app }: { app: App }) {
  const result = useParts(app, 'allocate').allocate?.result;
  const view = useMemo(() => result && allocationView(result), [result]);
  if (!result || !view) return null;
  const { pods, others } = view;
  if (pods.length === 0 && others.length === 0) {
    return <p class="calm">{t.allocation.empty}</p>;
  }
  return (
    <>
      <Chips app={app} />
      <Chosen app={app} />
      <Compare app={app} />
      <Picture app={app} />
      <h2 class="group-title in-words">{t.allocation.words}</h2>
      <More
        all={pods}
        step={20}
        what={t.allocation.pods}
        item={(view) => (
          <Pod key={`${view.pod.namespace}/${view.pod.name}`} app={app} view={view} />
        )}
      />
      {others.length > 0 && (
        <section class="pod">
          <h2 class="group-title">{t.allocation.unused}</h2>
          <More
            all={others}
            step={20}
            what={t.allocation.claims}
            item={(claim) => <Claim key={claim.name} app={app} claim={claim} alone />}
          />
        </section>
      )}
      {result.assumptions.length > 0 && (
        <section class="assumptions">
          <h2 class="group-title">{t.allocation.assumed}</h2>
          <ul>
            {result.assumptions.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** The one that the picture explains, and the way to all that is known of it. */
function Chosen({ app }: { app: App }) {
  const { allocate, selected } = useParts(app, 'allocate', 'selected');
  const subject = subjectOf(allocate?.result, selected);
  if (!subject) return null;
  return (
    <p class="chosen" data-chosen={subject.selected.name}>
      {subject.message || t.announce.one(subject.selected.name, t.outcomes[subject.outcome])}{' '}
      <button type="button" class="button small" onClick={() => app.show('why')}>
        {isPending(subject) ? t.allocation.help : t.allocation.more}
      </button>
    </p>
  );
}

function Pod({ app, view: { pod, claims } }: { app: App; view: PodView }) {
  return (
    <section
      class="pod"
      aria-label={t.allocation.podNamed(pod.name)}
      data-pod={pod.name}
      data-outcome={pod.outcome}
    >
      <h2 class="pod-title">
        <span class="kind">{t.kinds.pod}</span>{' '}
        <Name app={app} name={pod.name} location={pod.location} />
        <Outcome outcome={pod.outcome} node={pod.node} />
      </h2>
      {addsSomething(pod) && <p class="message">{pod.message}</p>}
      {claims.map((claim) => (
        <Claim key={claim.name} app={app} claim={claim} />
      ))}
      {pod.outcome !== 'Scheduled' && <Nodes app={app} nodes={pod.nodes} groups={pod.groups} />}
    </section>
  );
}

/** What the tiles, or the only reason below, say anyway is not said twice. */
function addsSomething({ outcome, message, nodes }: PodResult): boolean {
  if (!message || outcome === 'Scheduled') return false;
  const groups = groupNodes(nodes);
  const reasons = groups[0]?.node.reasons ?? [];
  return groups.length !== 1 || reasons.length !== 1 || !message.includes(reasons[0]!.message);
}

function Claim({ app, claim, alone }: { app: App; claim: MarkedClaim; alone?: boolean }) {
  const { result, name, mark } = claim;
  const [, short = ''] = name.split('/');
  const devices = devicesOf(result);
  return (
    <div class={`claim mark-${mark % 8}`} data-claim={name} data-outcome={result.outcome}>
      <h3 class="claim-title">
        <span class="mark" aria-hidden="true">
          {letter(mark)}
        </span>
        <span class="kind">{t.kinds.claim}</span>{' '}
        <Name app={app} name={short} location={result.location} />
        <Outcome outcome={result.outcome} node={alone ? result.node : undefined} />
      </h3>
      {result.message && (alone || result.outcome === 'Invalid') && (
        <p class="message">{result.message}</p>
      )}
      {devices.length > 0 && (
        <ul class="tiles">
          {devices.map((device, index) => (
            <Tile key={index} device={device} mark={letter(mark)} />
          ))}
        </ul>
      )}
      {alone && result.outcome !== 'Allocated' && (
        <Nodes app={app} nodes={result.nodes ?? []} groups={result.groups} />
      )}
    </div>
  );
}

function Name({ app, name, location }: { app: App; name: string; location: Location | undefined }) {
  if (!location) return <span class="name">{name}</span>;
  return (
    <button
      type="button"
      class="plain name"
      title={t.line(location.line)}
      onClick={() => app.goTo(location)}
    >
      {name}
    </button>
  );
}

function Outcome({
  outcome,
  node,
}: {
  outcome: keyof typeof outcomeLooks;
  node?: string | undefined;
}) {
  return (
    <span class={`outcome ${outcomeLooks[outcome]}`}>
      {node ? t.placed(t.outcomes[outcome], node) : t.outcomes[outcome]}
    </span>
  );
}

function Tile({ device, mark }: { device: DeviceAllocation; mark: string }) {
  const consumed = Object.entries(device.consumedCapacity ?? {});
  const facts: [string, string][] = [
    [t.allocation.request, device.request],
    ...consumed.map(([name, amount]): [string, string] => [name, amount]),
    ...(device.shareID ? [[t.allocation.share, device.shareID] as [string, string]] : []),
    ...(device.adminAccess ? [[t.allocation.access, t.allocation.admin] as [string, string]] : []),
    ...(device.skipNodeOperations?.length
      ? [[t.allocation.skips, device.skipNodeOperations.join(', ')] as [string, string]]
      : []),
    ...(device.bindingConditions?.length
      ? [[t.allocation.waits, device.bindingConditions.join(', ')] as [string, string]]
      : []),
  ];
  return (
    <li class="tile" data-device={device.device}>
      <p class="tile-title">
        <span class="tile-mark" aria-hidden="true">
          {mark}
        </span>
        {device.device}
      </p>
      <p class="tile-where">
        {device.pool} · {device.driver}
      </p>
      <dl>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

function Nodes({
  app,
  nodes,
  groups = [],
}: {
  app: App;
  nodes: readonly NodeResult[];
  groups?: readonly NodeGroup[] | undefined;
}) {
  return (
    <>
      {groups.length > 0 && <Reasons app={app} groups={groups} />}
      {groupNodes(nodes).map(({ names, node }) => (
        <div key={names[0]} class="node">
          <h3 class="node-title">
            <span class="kind">{t.allocation.onNodes(names.length)}</span>{' '}
            <span class="name">{list(names.map((name) => name || t.allocation.nameless))}</span>
            {node.fits && <span class="outcome held">{t.allocation.fits}</span>}
          </h3>
          {(node.reasons ?? []).map((reason, index) => (
            <Why key={index} app={app} reason={reason} />
          ))}
        </div>
      ))}
    </>
  );
}

function Why({ app, reason }: { app: App; reason: Reason }) {
  const { devices = [] } = reason;
  return (
    <div class="why" data-code={reason.code}>
      <ReasonHead app={app} reason={reason} />
      {devices.length > 0 && (
        <details open={devices.length <= 8}>
          <summary>{t.allocation.looked(devices.length)}</summary>
          <ul class="refusals">
            {devices.slice(0, most).map(({ driver, pool, device, code, message }) => (
              <li key={`${driver}/${pool}/${device}`} data-device={device}>
                <span class="refused">{device}</span>
                <span class="refusal-text">{message}</span>
                <code class="rule" title={t.allocation.poolOf(driver, pool)}>
                  {code}
                </code>
              </li>
            ))}
          </ul>
          <Rest all={devices.length} what={t.allocation.devices} />
        </details>
      )}
    </div>
  );
}
