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
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { type Diagnostic, linter, lintGutter, lintKeymap } from '@codemirror/lint';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { coloured } from './colours.js';
import type { Place, Suggestion } from './completion.js';
import { placeAt, replacedAt } from './cursor.js';
import { theme } from './theme.js';

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
