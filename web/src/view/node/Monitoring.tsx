import type { PodResourcesResult } from '../../api';
import type { App } from '../../app';
import { words } from '../../texts/beyond';
import { useAnswer } from '../ask';
import { Assumptions, Taken } from '../beyond';
import { Missing } from '../Missing';
import { More } from '../More';
import { Said } from '../Said';

/** What the kubelet of a node tells monitoring agents. */
export function Monitoring({ app, node }: { app: App; node: string }) {
  const w = words().node.monitoring;
  const asked = useAnswer<PodResourcesResult>(app, 'podResources', {
    options: node ? { node } : {},
  });
  const { result } = asked;
  if (!result) return <Missing asked={asked} />;
  const pods = result.list.podResources ?? [];
  return (
    <div data-monitored={result.node}>
      <p>{w.of(result.node)}</p>
      {pods.length === 0 && <p class="calm">{w.none}</p>}
      <ul class="listed">
        <More
          all={pods.flatMap(({ namespace, name, containers = [] }) =>
            containers.map((container) => ({ pod: `${namespace}/${name}`, container })),
          )}
          step={40}
          what={words().node.files.container}
          item={({ pod, container }) => (
            <li key={`${pod} ${container.name}`}>
              <span class="name">
                {pod} {container.name}
              </span>{' '}
              {(container.dynamicResources ?? []).flatMap(({ claimName, claimResources = [] }) =>
                claimResources.slice(0, 16).map(({ driverName, poolName, deviceName, shareId }) => (
                  <code key={`${claimName} ${driverName} ${poolName} ${deviceName} ${shareId}`}>
                    {claimName}: {driverName}/{poolName}/{deviceName}
                  </code>
                )),
              )}
              {(container.dynamicResources ?? []).length === 0 && (
                <span class="muted">{w.nothing}</span>
              )}
            </li>
          )}
        />
      </ul>
      {pods.length > 0 && (
        <Taken
          app={app}
          text={JSON.stringify(result.list, undefined, 2)}
          label={w.json(result.node)}
        />
      )}
      {result.notes.length > 0 && (
        <ul class="dashes">
          {result.notes.map(({ code, message, location }) => (
            <li key={code + message}>
              <Said app={app} location={location} text={message} />
            </li>
          ))}
        </ul>
      )}
      <Assumptions list={result.assumptions} />
    </div>
  );
}
