import type { Asked } from '../standing';
import { t } from '../texts';

/** What stands where there is no answer. */
export function Missing<R>({ asked }: { asked: Asked<R> }) {
  if (asked.refused !== undefined) return <p class="refusal">{t.asked.cannot(asked.refused)}</p>;
  return (
    <p class="calm" role="status">
      {asked.none ? t.asked.none : t.asked.working}
    </p>
  );
}
