import { useState } from 'preact/hooks';
import type { AdmitResult } from '../api';
import type { App } from '../app';
import { t } from '../texts';
import { Diff } from './Diff';
import { useAnswer } from './ask';
import { Missing } from './Missing';
import { useParts } from './parts';

/** What the webhook would answer about one of the objects, the others being the cluster's. */
export function Admission({ app }: { app: App }) {
  const [chosen, setChosen] = useState(0);
  const [phase, setPhase] = useState<'mutating' | 'validating'>('mutating');
  const objects = useParts(app, 'validate').validate?.result.objects ?? [];
  if (objects.length === 0) return <p class="calm">{t.noObject}</p>;
  const object = objects[Math.min(chosen, objects.length - 1)]!;
  return (
    <div class="admission">
      <p class="stored-tools">
        <label>
          {t.admission.object}{' '}
          <select
            value={String(object.index)}
            onChange={(event) => setChosen(Number(event.currentTarget.value))}
          >
            {objects.slice(0, 500).map(({ index, kind, name }) => (
              <option key={index} value={String(index)}>
                {kind} {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t.admission.phase}{' '}
          <select
            value={phase}
            onChange={(event) => setPhase(event.currentTarget.value as 'mutating' | 'validating')}
          >
            <option value="mutating">{t.admission.phases.mutating}</option>
            <option value="validating">{t.admission.phases.validating}</option>
          </select>
        </label>
      </p>
      <Answer app={app} object={object.index} phase={phase} />
    </div>
  );
}

function Answer({ app, object, phase }: { app: App; object: number; phase: string }) {
  const asked = useAnswer<AdmitResult>(app, 'admit', { options: { object, phase } });
  const { result } = asked;
  if (!result) return <Missing asked={asked} />;
  const { verdict, response, findings, patch, before = '', after = '' } = result;
  const warnings = response.warnings ?? [];
  return (
    <div data-verdict={verdict}>
      <h2 class="group-title">{t.admission.verdicts[verdict]}</h2>
      {response.status?.message && <p class="admission-reason">{response.status.message}</p>}
      {warnings.length > 0 && (
        <>
          <h3>{t.admission.warnings}</h3>
          <ul class="stored-changes">
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </>
      )}
      {findings.length > 0 && (
        <>
          <h3>{t.admission.findings}</h3>
          <ul class="stored-changes">
            {findings.map(({ action, source, rule, message }, index) => (
              <li key={index}>
                <strong>{action}</strong> {message}{' '}
                <code>
                  {source}/{rule}
                </code>
              </li>
            ))}
          </ul>
        </>
      )}
      {patch.length > 0 && (
        <>
          <h3>{t.admission.patch}</h3>
          <Diff before={before} after={after} label={t.admission.both} />
          <pre tabIndex={0} aria-label={t.admission.json}>
            {JSON.stringify(patch, undefined, 2)}
          </pre>
        </>
      )}
    </div>
  );
}
