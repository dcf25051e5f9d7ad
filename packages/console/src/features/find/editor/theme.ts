import { EditorView } from '@codemirror/view';

/** The look of the editor, from the tokens of the page: custom properties reach into a shadow root. */
export const theme = EditorView.theme({
  '&': {
    minHeight: '16rem',
    maxHeight: '60vh',
    border: '1px solid var(--border-strong)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
  },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '2px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', fontSize: '13px', lineHeight: '1.5', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': {
    border: '0',
    backgroundColor: 'var(--surface-raised)',
    color: 'var(--text-quiet)',
  },
  '.cm-name': { color: 'var(--text)', fontWeight: '600' },
  '.cm-operator': { color: 'var(--accent)', fontWeight: '600' },
  '.cm-text': { color: 'var(--success)' },
  '.cm-number, .cm-word': { color: 'var(--warning)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    backgroundColor: 'var(--surface-selected) !important',
  },
  '.cm-matchingBracket': {
    outline: '1px solid var(--border-strong)',
    backgroundColor: 'transparent !important',
  },
  '.cm-tooltip': {
    border: '1px solid var(--border)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--surface)',
    boxShadow: 'var(--shadow)',
    color: 'var(--text)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-mono)', fontSize: '13px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '4px 8px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--surface-selected)',
    color: 'var(--text)',
  },
  '.cm-completionDetail': { color: 'var(--text-quiet)', fontStyle: 'normal' },
  '.cm-diagnostic': { borderLeftColor: 'var(--danger)' },
});
