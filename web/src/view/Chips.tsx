import { useMemo } from 'preact/hooks';
import { letter, outcomeLooks } from '../answers';
import type { App } from '../app';
import { holdings } from '../picture';
import { isPending, subjects, type Subject } from '../selection';
import { sameSelected } from '../state';
import { More } from './More';
import { t } from '../texts';
import { useParts } from './parts';

/** Pods and claims with what becomes of them; choosing one turns the picture into its explanation. */
export function Chips({ app }: { app: App }) {
  const { allocate, selected } = useParts(app, 'allocate', 'selected');
  const held = useMemo(() => allocate && holdings(allocate.result), [allocate]);
  const sorted = useMemo(() => {
    const all = allocate ? subjects(allocate.result) : [];
    // Those that do not fit come first: they are what one looks for.
    return [...all.filter(isPending), ...all.filter((subject) => !isPending(subject))];
  }, [allocate]);
  if (!held) return null;
  return (
    <div class="chips" role="group" aria-label={t.allocation.chips}>
      <More
        all={sorted}
        step={40}
        what={t.allocation.podsAndClaims}
        item={(subject) => (
          <Chip
            key={subject.selected.kind + subject.selected.name}
            subject={subject}
            marks={subject.claims.flatMap((claim) => held.get(claim)?.mark ?? [])}
            chosen={sameSelected(selected, subject.selected)}
            choose={() =>
              app.core.select(
                sameSelected(selected, subject.selected) ? undefined : subject.selected,
              )
            }
          />
        )}
      />
    </div>
  );
}

function Chip({
  subject,
  marks,
  chosen,
  choose,
}: {
  subject: Subject;
  marks: readonly number[];
  chosen: boolean;
  choose(): void;
}) {
  const { selected, outcome, node } = subject;
  const [, name] = selected.name.split('/');
  return (
    <button
      type="button"
      class={`chip ${outcomeLooks[outcome]}`}
      aria-pressed={chosen}
      data-chip={selected.name}
      onClick={choose}
    >
      {marks.map((mark) => (
        <span key={mark} class={`mark mark-${mark % 8}`} aria-hidden="true">
          {letter(mark)}
        </span>
      ))}
      <span class="kind">{t.kinds[selected.kind]}</span> <span class="name">{name}</span>
      <span class={`outcome ${outcomeLooks[outcome]}`}>
        {node ? t.placed(t.outcomes[outcome], node) : t.outcomes[outcome]}
      </span>
    </button>
  );
}
