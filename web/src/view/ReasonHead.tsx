import type { Reason } from '../api';
import type { App } from '../app';
import { t } from '../texts';

type Head = Pick<Reason, 'message' | 'location' | 'claim' | 'request' | 'code' | 'podWide'>;

/** What a reason says, where it lies, and what it is about. */
export function ReasonHead({ app, reason }: { app: App; reason: Head }) {
  const { location } = reason;
  return (
    <>
      {location ? (
        <button type="button" class="plain why-text" onClick={() => app.goTo(location)}>
          {reason.message}
        </button>
      ) : (
        <p class="why-text">{reason.message}</p>
      )}
      <p class="meta">
        {location && <span class="line">{t.line(location.line)}</span>}
        {reason.claim && <span>{t.allocation.claimOf(reason.claim, reason.request ?? '')}</span>}
        <code class="rule">{reason.code}</code>
        {reason.podWide && <span>{t.allocation.podWide}</span>}
      </p>
    </>
  );
}
