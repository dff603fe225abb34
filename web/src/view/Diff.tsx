import { diffLines, fold } from '../diff';
import { t } from '../texts';

const signs = { both: ' ', before: '−', after: '+' };

/** Two texts as one, with what is gone and what came. */
export function Diff({ before, after, label }: { before: string; after: string; label: string }) {
  const names = { both: '', before: t.diff.removed, after: t.diff.added };
  const lines = fold(diffLines(before, after));
  return (
    <pre class="diff" tabIndex={0} aria-label={label}>
      {lines.map((line, index) =>
        'skipped' in line ? (
          <span key={index} class="diff-line skipped">
            {`⋯ ${t.diff.same(line.skipped)}\n`}
          </span>
        ) : (
          <span key={index} class={`diff-line ${line.side}`}>
            <span aria-hidden="true">{signs[line.side]} </span>
            <span class="hidden">{names[line.side]}</span>
            {line.text + '\n'}
          </span>
        ),
      )}
    </pre>
  );
}
