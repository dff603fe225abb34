// The line of what is pointed at in the picture, marked without moving there.

import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, type DecorationSet } from '@codemirror/view';

/** Marks the line at an offset; undefined takes the mark away. */
export const setHint = StateEffect.define<number | undefined>();

const mark = Decoration.line({ class: 'cm-hint' });

export const hint = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let next = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setHint)) continue;
      next =
        effect.value === undefined ? Decoration.none : Decoration.set(mark.range(effect.value));
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});
