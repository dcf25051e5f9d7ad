import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, indentOnInput, syntaxTree } from '@codemirror/language';
import { type Diagnostic, linter, lintGutter, lintKeymap } from '@codemirror/lint';
import { EditorState, type Extension, type Range } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  lineNumbers,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import type { Place, Suggestion } from './completion.js';
import { placeAt, replacedAt } from './cursor.js';

/** What the editor asks the page while somebody types. */
export interface EditorHooks {
  readonly onChange: (text: string) => void;
  readonly onSubmit: () => void;
  readonly suggest: (place: Place) => readonly Suggestion[];
  readonly diagnose: (text: string) => readonly Diagnostic[];
}

/** The accessible name and the id of the hint of an editor. */
interface EditorLabels {
  readonly label: string;
}

/**
 * An editor in a shadow root: there its styles are adopted sheets, which the policy of the page allows. Tab is not bound,
 * so that the keyboard can leave the editor.
 */
export function newEditor(
  host: HTMLElement,
  text: string,
  hooks: EditorHooks,
  { label }: EditorLabels,
): EditorView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({ doc: text, extensions: extensionsOf(hooks, label) }),
  });
  return view;
}

function extensionsOf({ onChange, onSubmit, suggest, diagnose }: EditorHooks, label: string): Extension {
  return [
    lineNumbers(),
    history(),
    json(),
    coloured,
    bracketMatching(),
    closeBrackets(),
    indentOnInput(),
    autocompletion({ override: [context => completionsOf(context, suggest)], icons: false }),
    linter(view => diagnose(view.state.doc.toString()), { delay: 200 }),
    lintGutter(),
    keymap.of([
      {
        key: 'Mod-Enter',
        run: () => {
          onSubmit();
          return true;
        },
      },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...lintKeymap,
      ...historyKeymap,
      ...defaultKeymap,
    ]),
    EditorView.updateListener.of(update => {
      if (update.docChanged) onChange(update.state.doc.toString());
    }),
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', autocapitalize: 'off' }),
    EditorView.lineWrapping,
    theme,
  ];
}

function completionsOf(
  context: CompletionContext,
  suggest: (place: Place) => readonly Suggestion[],
): CompletionResult | null {
  const place = placeAt(context.state, context.pos);
  const { from, to, hasColon } = replacedAt(context.state, context.pos);
  if (place === undefined || (from === to && !context.explicit)) return null;
  const options = suggest(place).map(({ json, kind, type }) => ({
    label: json,
    type: kind,
    ...(type !== undefined && { detail: type }),
    apply: place.kind === 'name' && !hasColon ? `${json}: ` : json,
    boost: kind === 'operator' ? -1 : 0,
  }));
  return { from, to, options, filter: true };
}

/** The look of the editor, from the tokens of the page: custom properties reach into a shadow root. */
const theme = EditorView.theme({
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

const CLASSES: Readonly<Record<string, string>> = {
  PropertyName: 'cm-name',
  String: 'cm-text',
  Number: 'cm-number',
  True: 'cm-word',
  False: 'cm-word',
  Null: 'cm-word',
};
const MARKS = new Map(Object.entries(CLASSES).map(([name, of]) => [name, Decoration.mark({ class: of })]));
const OPERATOR = Decoration.mark({ class: 'cm-operator' });

/** Colours of names, operators and values. The theme says which. */
const coloured = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = marked(view);
    }

    update(update: ViewUpdate) {
      const parsed = syntaxTree(update.state) !== syntaxTree(update.startState);
      if (update.docChanged || update.viewportChanged || parsed) this.decorations = marked(update.view);
    }
  },
  { decorations: plugin => plugin.decorations },
);

function marked(view: EditorView): DecorationSet {
  const marks: Range<Decoration>[] = [];
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      from,
      to,
      enter: ({ name, from, to }) => {
        const isOperator = name === 'PropertyName' && view.state.sliceDoc(from + 1, from + 2) === '$';
        const mark = isOperator ? OPERATOR : MARKS.get(name);
        if (mark !== undefined) marks.push(mark.range(from, to));
      },
    });
  }
  return Decoration.set(marks, true);
}
