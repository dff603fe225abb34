import type { PodDeviceHealth, PodOperations, ResourceHealthResult } from '../../api';
import type { App } from '../../app';
import { added, append, remove, report } from '../../node/documents';
import { words } from '../../texts/beyond';
import { useAnswer } from '../ask';
import { Assumptions, Taken } from '../beyond';
import { Missing } from '../Missing';
import { More } from '../More';
import { Said } from '../Said';

const looks = { Healthy: 'good', Unhealthy: 'bad', Unknown: 'unsure' };

/** How the devices of a pod are, and what a report about one of them would do. */
export function Health({
  app,
  pod,
  options,
}: {
  app: App;
  pod: PodOperations;
  /** Which plugins are absent: with a plugin goes what the kubelet knows of its devices. */
  options: { absentDrivers?: string };
}) {
  const w = words().node.health;
  const asked = useAnswer<ResourceHealthResult>(app, 'resourceHealth', { options });
  const { result } = asked;
  if (!result) return <Missing asked={asked} />;
  const found = result.pods.find(
    ({ namespace, name }) => namespace === pod.namespace && name === pod.name,
  );
  if (!found) return <p class="calm">{w.none}</p>;
  // What was added stands near the end; the whole of a long text would take long to search.
  const tail = app.text.slice(-searched);
  const own = new Set(
    found.devices.map(({ driver, pool, device }) => `${driver}/${pool}/${device}`),
  );
  const rules = (result.taintRules ?? []).filter(({ device }) => own.has(device));
  return (
    <div data-health={found.health}>
      <p class="verdict">
        <span class={`outcome ${looks[found.health]}`}>{w.words[found.health]}</span>{' '}
        <Said app={app} location={found.location} text={found.message} />
      </p>
      <ul class="listed">
        <More
          all={found.devices}
          step={20}
          what={w.title}
          item={(device) => (
            <Device
              key={`${device.claim}/${device.request}/${device.driver}/${device.pool}/${device.device}`}
              app={app}
              device={device}
              node={found.node}
              tail={tail}
            />
          )}
        />
      </ul>
      {found.containerStatuses && found.containerStatuses.length > 0 && (
        <>
          <h3>{w.written}</h3>
          <Taken
            app={app}
            text={JSON.stringify({ containerStatuses: found.containerStatuses }, undefined, 2)}
            label={w.written}
          />
        </>
      )}
      <More
        all={rules}
        step={10}
        what={w.rules}
        item={({ device, message, yaml, location }) => (
          <section key={device} data-taint-rule={device}>
            <h3>{w.rule}</h3>
            <p>
              <Said app={app} location={location} text={message} />
            </p>
            <Taken app={app} text={yaml} label={`${w.rule}: ${device}`} insertable />
          </section>
        )}
      />
      <Assumptions list={result.assumptions} />
    </div>
  );
}

/** So much of the text is searched for what was added, in characters. */
const searched = 200_000;

function Device({
  app,
  device,
  node,
  tail,
}: {
  app: App;
  device: PodDeviceHealth;
  node: string;
  /** The end of the text. */
  tail: string;
}) {
  const w = words().node.health;
  const { request, health, message, told, location } = device;
  const mine = added(tail, device, node);
  const fails = health !== 'Unhealthy';
  return (
    <li data-device={device.device} data-device-health={health}>
      <span class={`outcome ${looks[health]}`}>{w.words[health]}</span>{' '}
      <span class="name">{device.device}</span>{' '}
      <Said app={app} location={location} text={`${request}: ${message}`} />{' '}
      {!told && <span class="muted">{w.untold}</span>}{' '}
      {mine === undefined ? (
        <button
          type="button"
          class="button small"
          aria-label={fails ? w.failOne(device.device) : w.healOne(device.device)}
          onClick={() =>
            app.change([append(app.text, report(device, node, fails ? 'Unhealthy' : 'Healthy'))])
          }
        >
          {fails ? w.fail : w.heal}
        </button>
      ) : (
        <button
          type="button"
          class="button small"
          aria-label={w.backOne(device.device)}
          onClick={() => {
            const place = remove(app.text, mine);
            if (place) app.change([place]);
          }}
        >
          {w.back}
        </button>
      )}
    </li>
  );
}
