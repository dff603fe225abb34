// The tour: five steps through the example that surprises. What each says
// stands among the texts; here is what it shows.

import type { App } from './app';
import { opening, placesOf } from './examples';

interface Step {
  /** Brings about what the step speaks of. */
  enter(app: App): void;
  /** The step offers to make the example's change. */
  change?: true;
}

/** The example as it is, with the cursor on the line that has the words. */
function at(words: string): Step['enter'] {
  return (app) => {
    restore(app);
    const lines = opening.text.split('\n');
    app.goToLine(lines.findIndex((line) => line.includes(words) && !line.startsWith('#')) + 1);
  };
}

function restore(app: App): void {
  if (app.text !== opening.text) app.papers.openExample(opening);
}

export const steps: readonly Step[] = [
  { enter: at('- name: gpu-0-mig') },
  { enter: at('count: 2') },
  {
    enter: (app) => {
      restore(app);
      app.show('allocation');
    },
  },
  { enter: (app) => app.show('allocation'), change: true },
  { enter: () => {} },
];

/** Whether the text still is one in which the example's change can be made. */
export function changeable(app: App): boolean {
  return placesOf(opening.changes, app.text) !== undefined;
}
