import type { ClaimOperations } from '../../api';
import type { App } from '../../app';
import { words } from '../../texts/beyond';
import { More } from '../More';
import { Said } from '../Said';

const looks: Record<string, string> = {
  Called: 'good',
  Prepared: 'good',
  Skipped: 'held',
  Kept: 'held',
  Waits: 'bad',
  NotReached: 'unsure',
};

/** What is asked of the drivers of each claim. */
export function Calls({ app, claims }: { app: App; claims: readonly ClaimOperations[] }) {
  const w = words();
  return (
    <section>
      <h2 class="group-title">{w.node.drivers}</h2>
      <More
        all={claims}
        step={20}
        what={w.rights.claims}
        item={(claim) => (
          <div key={claim.entry + claim.claim} class="claim-calls">
            <h3>
              <span class="name">{claim.claim ?? claim.entry}</span>{' '}
              <Said app={app} location={claim.location} text={claim.message} />
            </h3>
            {(claim.drivers ?? []).map(({ driver, prepare, unprepare, message, devices }) => (
              <div key={driver} class="driver-calls" data-driver={driver}>
                <p class="name">{driver}</p>
                <dl>
                  {(
                    [
                      [w.node.prepare, prepare],
                      [w.node.unprepare, unprepare],
                    ] as const
                  ).map(([name, what]) => (
                    <div key={name}>
                      <dt>{name}</dt>
                      <dd>
                        <span class={`outcome ${looks[what]}`}>{w.node.calls[what]}</span>
                      </dd>
                    </div>
                  ))}
                </dl>
                <p class="muted">{message}</p>
                <ul class="devices-of">
                  {devices
                    .slice(0, 32)
                    .map(({ request, pool, device, skipNodeOperations, location }) => (
                      <li key={`${request}/${pool}/${device}`}>
                        <Said
                          app={app}
                          location={location}
                          text={`${request}: ${pool}/${device}`}
                        />
                        {skipNodeOperations && skipNodeOperations.length > 0 && (
                          <span class="muted"> {w.node.skips(skipNodeOperations.join(', '))}</span>
                        )}
                      </li>
                    ))}
                </ul>
              </div>
            ))}
          </div>
        )}
      />
    </section>
  );
}
