import { syntaxTree } from '@codemirror/language';
import type { Range } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';

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
export const coloured = ViewPlugin.fromClass(
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
