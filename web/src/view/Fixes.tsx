import type { App } from '../app';
import type { Counterfactual, ExplainResult } from '../api';
import { diffLines } from '../fix';
import { t } from '../texts';

/** The changes with which it would fit; each has been tried by the core. */
export function Fixes({ app, explain }: { app: App; explain: ExplainResult }) {
  const { fitsIf, tried } = explain;
  if (fitsIf.length === 0) {
    return <p class="calm">{tried === 0 ? t.fixes.none : t.fixes.tried(tried)}</p>;
  }
  return (
    <ol class="fixes">
      {fitsIf.map((fix, index) => (
        <Fix key={index} app={app} fix={fix} />
      ))}
    </ol>
  );
}

function Fix({ app, fix }: { app: App; fix: Counterfactual }) {
  const lines = diffLines(
    fix.steps.flatMap((step) => step.edits ?? []),
    (line) => app.lineAt(line),
  );
  const settings = fix.steps.flatMap(({ featureGates, kubernetesVersion }) => [
    ...(kubernetesVersion ? [`Kubernetes ${kubernetesVersion}`] : []),
    ...(featureGates ? [`featureGates=${featureGates}`] : []),
  ]);
  const canApply = lines.length > 0 || settings.length > 0;
  return (
    <li class="fix" data-fix={fix.steps.map(({ kind }) => kind).join()}>
      <p class="fix-title">{fix.message}</p>
      {canApply && (
        <pre class="edit">
          {lines.map(({ sign, line, text }, index) => (
            <div key={index} class={sign === '-' ? 'out' : 'in'}>
              <span class="edit-line">{line || ''}</span>
              <span class="edit-sign">{sign}</span> {text}
            </div>
          ))}
          {settings.map((text) => (
            <div key={text} class="in">
              <span class="edit-line" />
              <span class="edit-sign">+</span> {text}
            </div>
          ))}
        </pre>
      )}
      {canApply && (
        <button
          type="button"
          class="button small"
          aria-label={t.fixes.applyOne(fix.message)}
          onClick={() => app.core.applyFix(fix)}
        >
          {t.fixes.apply}
        </button>
      )}
    </li>
  );
}
