// What the core is asked, as the state of the page has it.

import type { Options } from './api';
import { applicable, formatGates } from './gates';
import { currentVersion, type State } from './state';

/** From this length on the answer tells of nodes in groups only: it would be longer than the text. */
export const longText = 400_000;

/** A list of gates with none in it, where an empty one would mean: as before. */
const noGates = ',';

/** The options of every question. */
export function optionsOf(state: State): Options {
  const { version, gates } = state;
  const known = currentVersion(state);
  const featureGates = formatGates(known ? applicable(gates, known.gates) : gates);
  return {
    ...(version && { kubernetesVersion: version }),
    ...(featureGates && { featureGates }),
  };
}

/** What is asked about the selected one, and about the change that was made. */
export function closerOperations({ selected, baseline }: State): string[] {
  return [...(baseline ? ['diff'] : []), ...(selected ? ['explain', 'capacity'] : [])];
}

/** The text and options of operations that have others than the rest. */
export function specialOf(
  state: State,
  text: string,
): Record<string, { text?: string; options?: object }> {
  const { selected, baseline } = state;
  const long = text.length > longText;
  const target = selected && { [selected.kind]: selected.name };
  const special: Record<string, { text?: string; options?: object }> = {
    allocate: { options: { picture: true, ...(long && { explain: 'summary' }) } },
    explain: { options: { ...target, ...(long && { explain: 'full' }) } },
    capacity: { options: { ...target } },
  };
  if (baseline) {
    const now = optionsOf(state);
    const before = optionsOf({ ...state, version: baseline.version, gates: baseline.gates });
    special['diff'] = {
      text: JSON.stringify({ before: baseline.text, after: text }),
      options: {
        kubernetesVersion: before.kubernetesVersion ?? '',
        featureGates: before.featureGates ?? '',
        afterKubernetesVersion: now.kubernetesVersion ?? state.known.default,
        afterFeatureGates: now.featureGates ?? noGates,
      },
    };
  }
  return special;
}
