// How the editor looks: the page's tokens, which reach into its shadow tree.

import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const highlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--code-key)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-string)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--muted)', fontStyle: 'italic' },
  { tag: [tags.keyword, tags.atom, tags.typeName, tags.labelName], color: 'var(--code-word)' },
  { tag: [tags.meta, tags.separator, tags.punctuation], color: 'var(--muted)' },
]);

// Shape first, then colour: the marks in the gutter are letters and forms.
const marker = (content: string, color: string) => ({
  content: 'normal',
  position: 'relative',
  '&::before': {
    content: JSON.stringify(content),
    position: 'absolute',
    inset: '0',
    display: 'grid',
    placeItems: 'center',
    color,
    fontSize: '12px',
    fontWeight: '700',
  },
});

const wave = (color: string) => ({
  backgroundImage: 'none',
  paddingBottom: '0',
  textDecoration: `underline wavy ${color} 1px`,
  textUnderlineOffset: '3px',
  textDecorationSkipInk: 'none',
});

const look = EditorView.theme({
  '&': {
    height: '100%',
    color: 'var(--text)',
    backgroundColor: 'var(--page)',
    fontSize: 'var(--code-size)',
  },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', overflow: 'auto' },
  '.cm-content': { padding: '8px 0 48px', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 16px 0 8px' },
  '.cm-cursor': { borderLeftColor: 'var(--text)', borderLeftWidth: '2px' },
  '.cm-gutters': {
    backgroundColor: 'var(--page)',
    color: 'var(--faint)',
    border: 'none',
    paddingLeft: '4px',
  },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '32px', padding: '0 8px 0 4px' },
  '.cm-hint': { backgroundColor: 'var(--accent-tint)' },
  '.cm-activeLine': { backgroundColor: 'var(--active-line)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { background: 'var(--selection)' },
  '.cm-gutter-lint': { width: '20px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0 2px' },
  '.cm-lint-marker': { width: '16px', height: '100%' },
  '.cm-lint-marker-error': marker('✖', 'var(--error)'),
  '.cm-lint-marker-warning': marker('▲', 'var(--warning)'),
  '.cm-lint-marker-info': marker('●', 'var(--info)'),
  '.cm-lintRange': { paddingBottom: '0' },
  '.cm-lintRange-error': wave('var(--error)'),
  '.cm-lintRange-warning': wave('var(--warning)'),
  '.cm-lintRange-info': wave('var(--info)'),
  '.cm-lintRange-active': { backgroundColor: 'var(--selection)' },
  '.cm-lintPoint-error::after': { borderBottomColor: 'var(--error)' },
  '.cm-lintPoint-warning::after': { borderBottomColor: 'var(--warning)' },
  '.cm-lintPoint-info::after': { borderBottomColor: 'var(--info)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
    boxShadow: 'var(--shadow)',
    maxWidth: 'min(560px, 92vw)',
  },
  '.cm-tooltip-lint': { padding: '4px 0' },
  '.cm-diagnostic': {
    fontFamily: 'var(--sans)',
    fontSize: '14px',
    lineHeight: '1.45',
    padding: '8px 12px',
    borderLeft: '4px solid var(--info)',
    whiteSpace: 'normal',
  },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--error)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warning)' },
  '.cm-diagnostic-info': { borderLeftColor: 'var(--info)' },
  '.cm-diagnosticText': { display: 'block' },
  '.cm-rule': { display: 'block', color: 'var(--muted)', fontSize: '12px', marginTop: '4px' },
  '.cm-diagnosticAction': {
    font: 'inherit',
    color: 'var(--accent)',
    background: 'none',
    border: '1px solid var(--line-strong)',
    borderRadius: '4px',
    padding: '4px 8px',
    margin: '8px 8px 0 0',
    cursor: 'pointer',
  },
  '.cm-explained': {
    fontFamily: 'var(--sans)',
    fontSize: '14px',
    lineHeight: '1.45',
    padding: '8px 12px',
    maxHeight: '50vh',
    overflow: 'auto',
  },
  '.cm-explained p': { margin: '4px 0' },
  '.cm-explained-title': { fontFamily: 'var(--mono)', fontSize: '13px', color: 'var(--code-key)' },
  '.cm-explained dl': {
    display: 'grid',
    gridTemplateColumns: 'auto minmax(0, 1fr)',
    gap: '0 12px',
    margin: '8px 0',
    fontSize: '13px',
  },
  '.cm-explained dt': { color: 'var(--muted)' },
  '.cm-explained dd': { margin: '0', overflowWrap: 'anywhere' },
  '.cm-explained-rules': { fontSize: '12px', color: 'var(--muted)' },
  '.cm-explained a': { color: 'var(--accent)' },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal' },
  '.cm-tooltip-autocomplete ul li[aria-selected] .cm-completionDetail': {
    color: 'var(--on-accent)',
  },
  '.cm-tooltip.cm-completionInfo': {
    fontFamily: 'var(--sans)',
    fontSize: '13px',
    padding: '8px 12px',
  },
  '.cm-cel-string, .cm-cel-string *': { color: 'var(--code-string)' },
  '.cm-cel-number, .cm-cel-number *': { color: 'var(--code-word)' },
  '.cm-cel-word, .cm-cel-word *': { color: 'var(--code-word)' },
  '.cm-cel-call, .cm-cel-call *': { color: 'var(--code-key)' },
  '.cm-cel-name, .cm-cel-name *': { color: 'var(--text)' },
  '.cm-panels': {
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
    fontFamily: 'var(--sans)',
  },
  '.cm-panels.cm-panels-bottom': { borderTop: '1px solid var(--line)' },
  '.cm-textfield': {
    backgroundColor: 'var(--page)',
    color: 'var(--text)',
    border: '1px solid var(--line-strong)',
    borderRadius: '4px',
  },
  '.cm-button': {
    backgroundImage: 'none',
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--line-strong)',
    borderRadius: '4px',
  },
  '.cm-searchMatch': { backgroundColor: 'var(--match)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--match-strong)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)',
  },
});

export const theme = [look, syntaxHighlighting(highlight)];
