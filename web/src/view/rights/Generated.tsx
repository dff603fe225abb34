import { useState } from 'preact/hooks';
import type { RolesResult } from '../../api';
import type { App } from '../../app';
import { isAccount } from '../../rights/question';
import { words } from '../../texts/beyond';
import { useAnswer } from '../ask';
import { Taken } from '../beyond';
import { Missing } from '../Missing';

const parts = ['node-driver', 'controller', 'scheduler'] as const;

/** Roles with the fewest rights for a part of the cluster. */
export function Generated({
  app,
  account,
  drivers,
}: {
  app: App;
  account: string;
  drivers: readonly string[];
}) {
  const w = words().rights;
  const [part, setPart] = useState<(typeof parts)[number]>('node-driver');
  const [driver, setDriver] = useState<string>();
  const name = driver ?? drivers[0] ?? 'gpu.example.com';
  const asked = useAnswer<RolesResult>(app, 'roles', {
    text: '',
    options: {
      for: part,
      serviceAccount: isAccount(account) ? account : 'gpu-system/driver',
      ...(part !== 'scheduler' && { driver: name }),
    },
  });
  const { result } = asked;
  return (
    <div class="generated">
      <div class="rights-form">
        <label>
          {w.part}
          <select
            class="input"
            value={part}
            onChange={(event) => setPart(event.currentTarget.value as (typeof parts)[number])}
          >
            {parts.map((one) => (
              <option key={one} value={one}>
                {w.parts[one]}
              </option>
            ))}
          </select>
        </label>
        {part !== 'scheduler' && (
          <label>
            {w.driverName}
            <input
              class="input"
              value={name}
              onInput={(event) => setDriver(event.currentTarget.value.trim())}
            />
          </label>
        )}
      </div>
      {!result || asked.refused !== undefined ? (
        <Missing asked={asked} />
      ) : (
        <>
          <Taken app={app} text={result.text} label={w.role} insertable />
          <h3>{w.tries}</h3>
          <ul class="dashes" data-tries={result.tries.length}>
            {result.tries.map(({ message, allowed }) => (
              <li key={message}>
                <span class={`outcome ${allowed ? 'good' : 'bad'}`}>
                  {allowed ? w.allowed : w.refused}
                </span>{' '}
                {message}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
