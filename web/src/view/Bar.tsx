import { letter } from '../answers';
import type { PictureBar } from '../api';
import type { Holding } from '../picture';
import { t } from '../texts';

/** What somebody would take and cannot have. */
export interface Ghost {
  who: string;
  amount: string;
  permille: number;
}

/** An amount as a stacked bar: who takes what of it, and what is missing. */
export function Bar({
  bar,
  held,
  ghost,
}: {
  bar: PictureBar;
  held: ReadonlyMap<string, Holding>;
  ghost?: Ghost | undefined;
}) {
  const { name, total, used, parts = [] } = bar;
  // What is more than all there is makes the rest narrower, never the bar wider.
  const whole = Math.max(1000, bar.permille + (ghost?.permille ?? 0));
  const width = (permille: number) => `${(100 * permille) / whole}%`;
  const said = parts.map(({ device, claims, amount }) =>
    [device, amount, `(${claims.join(', ')})`].filter(Boolean).join(' '),
  );
  return (
    <div class="bar-row" data-bar={name}>
      <span class="bar-name">{name}</span>
      <span class="bar" aria-hidden="true">
        {parts.map(({ claims, permille }, index) => {
          const holding = held.get(claims[0] ?? '');
          return (
            <span
              key={index}
              class={`part mark-${(holding?.mark ?? 7) % 8}${holding?.before ? ' before' : ''}`}
              style={{ width: width(permille) }}
            >
              {holding && permille > 60 ? letter(holding.mark) : ''}
            </span>
          );
        })}
        {ghost && <span class="part ghost" style={{ width: width(ghost.permille) }} />}
        {whole > 1000 && <span class="limit" style={{ left: width(1000) }} />}
      </span>
      <span class="bar-amount">{t.picture.of(used, total)}</span>
      {(said.length > 0 || ghost) && (
        <span class="bar-who">
          {said.join(' · ')}
          {ghost && (
            <span class="bar-missing">
              {said.length > 0 ? ' · ' : ''}
              {t.picture.missing(ghost.who, ghost.amount, bar.left)}
            </span>
          )}
        </span>
      )}
    </div>
  );
}
