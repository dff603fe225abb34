import type { Location } from '../api';
import type { App } from '../app';

/** A sentence of the core, which leads to where it is about. */
export function Said({
  app,
  location,
  text,
}: {
  app: App;
  location: Location | undefined;
  text: string;
}) {
  if (!location) return <span class="said">{text}</span>;
  return (
    <button type="button" class="plain said" onClick={() => app.goTo(location)}>
      {text}
    </button>
  );
}
