import type { App } from '../app';
import { t } from '../texts';
import { useParts } from './parts';

/** Offers the new version of the page; nobody is interrupted by it. */
export function Update({ app }: { app: App }) {
  const { update } = useParts(app, 'update');
  return (
    <div class="update" role="status">
      {update && (
        <>
          <span>{t.offline.updated}</span>
          <button type="button" class="button small" onClick={update}>
            {t.offline.reload}
          </button>
        </>
      )}
    </div>
  );
}
