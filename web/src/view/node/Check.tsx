import { useState } from 'preact/hooks';
import type { CheckMetadataResult } from '../../api';
import type { App } from '../../app';
import { words } from '../../texts/beyond';
import { useAnswer } from '../ask';
import { severityShape } from '../icons';
import { Missing } from '../Missing';
import { More } from '../More';

/** Whether readers can take a file that a driver wrote, and whether it may follow another. */
export function Check({ app }: { app: App }) {
  const w = words().node.check;
  const [current, setCurrent] = useState('');
  const [previous, setPrevious] = useState('');
  const fields: [string, string, (text: string) => void][] = [
    [w.current, current, setCurrent],
    [w.previous, previous, setPrevious],
  ];
  return (
    <div class="check">
      <p class="muted">{w.hint}</p>
      {fields.map(([name, value, set]) => (
        <label key={name}>
          {name}
          <textarea
            class="input"
            rows={6}
            spellcheck={false}
            value={value}
            onInput={(event) => set(event.currentTarget.value)}
          />
        </label>
      ))}
      {current.trim() !== '' && <Verdict app={app} current={current} previous={previous} />}
    </div>
  );
}

function Verdict({ app, current, previous }: { app: App; current: string; previous: string }) {
  const w = words();
  const both = previous.trim() !== '';
  const asked = useAnswer<CheckMetadataResult>(
    app,
    both ? 'checkMetadataUpdate' : 'checkMetadata',
    {
      text: both ? JSON.stringify({ current, previous }) : current,
      alone: true,
    },
  );
  const { result } = asked;
  if (!result) return <Missing asked={asked} />;
  const { valid, findings } = result;
  const taken = result.current.objects.find((object) => object.taken);
  return (
    <div data-valid={valid} role="status">
      <p class="verdict">
        <span class={`outcome ${valid ? 'good' : 'bad'}`}>
          {w.node.check.objects(result.current.objects.length)}
        </span>{' '}
        {valid ? w.node.check.valid : w.node.check.invalid}{' '}
        {taken && w.node.check.taken(taken.apiVersion)}
      </p>
      <ul class="dashes findings">
        <More
          all={findings}
          step={20}
          what={w.node.check.title}
          item={({ severity, code, message, location, file }, index) => (
            <li key={index}>
              <span aria-hidden="true">{severityShape[severity]}</span> {message}{' '}
              <span class="muted">
                {location && w.node.check.at(location.line, location.column)}{' '}
                {file === 'previous' && w.node.check.previousFile}
              </span>{' '}
              <code>{code}</code>
            </li>
          )}
        />
      </ul>
    </div>
  );
}
