import { ReasonHead } from './ReasonHead';
import type { App } from '../app';
import type { NodeGroup } from '../api';
import { wordFor } from '../picture';
import { More } from './More';
import { t } from '../texts';

type ReasonGroup = NonNullable<NodeGroup['reasons']>[number];

/** Why it fits nowhere, nodes alike together. */
export function Reasons({ app, groups }: { app: App; groups: readonly NodeGroup[] }) {
  return (
    <ul class="reasons">
      <More
        all={groups}
        step={10}
        what={t.picture.kindsOfNodes}
        item={(group, index) => (
          <li key={index} class="reason-group" data-nodes={group.nodes}>
            <p class="reason-where">
              {group.nodes === 1
                ? t.why.onOne(group.example)
                : t.why.onMany(group.nodes, group.example)}
              {group.fits && <span class="outcome held">{t.allocation.fits}</span>}
            </p>
            {(group.reasons ?? []).map((reason, at) => (
              <ReasonLine key={at} app={app} reason={reason} />
            ))}
          </li>
        )}
      />
    </ul>
  );
}

function ReasonLine({ app, reason }: { app: App; reason: ReasonGroup }) {
  const { devices = [] } = reason;
  return (
    <div class="why" data-code={reason.code}>
      <ReasonHead app={app} reason={reason} />
      {devices.length > 0 && (
        <ul class="device-groups">
          {devices.map(({ code, count, example, message, location: at }) => (
            <li key={code} data-code={code}>
              <span class="cell-word">{wordFor(code)}</span>
              <span class="device-count">{count} ×</span>
              {at ? (
                <button type="button" class="plain" onClick={() => app.goTo(at)}>
                  {example.slice(example.lastIndexOf('/') + 1)}: {message}
                </button>
              ) : (
                <span>
                  {example.slice(example.lastIndexOf('/') + 1)}: {message}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
