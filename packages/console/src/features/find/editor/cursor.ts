import { ensureSyntaxTree, syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import type { Place } from './completion.js';

/** The editor may not have read the whole text yet, on a busy machine. */
const MOST_MS = 200;

type Tree = ReturnType<typeof syntaxTree>;
type Node = ReturnType<Tree['resolveInner']>;

const SCALARS = new Set(['String', 'Number', 'True', 'False', 'Null']);
const HOLDERS = new Set(['Object', 'Array', 'Property', 'JsonText']);
const VALUES = new Set([...SCALARS, 'Object', 'Array']);

/** Where the cursor is in the filter; undefined outside of the object. */
export function placeAt(state: EditorState, at: number): Place | undefined {
  const node = treeOf(state).resolveInner(at, -1);
  // A sign, or a word that is not finished yet, stands in the place of a name or of a value.
  let around: Node | null = node;
  while (around !== null && !HOLDERS.has(around.name)) around = around.parent;
  if (around === null || around.name === 'JsonText') return undefined;
  if (around.name === 'Array')
    return { kind: 'value', path: [...pathOf(around, state), indexIn(around, at)] };
  if (around.name === 'Object') return { kind: 'name', path: pathOf(around, state) };
  const isName = node.name === 'PropertyName' || !hasColonBefore(around, state, at);
  const path = pathOf(around, state);
  return isName ? { kind: 'name', path } : { kind: 'value', path: [...path, nameOf(around, state)] };
}

/** The text that a suggestion replaces: the name or value at the cursor, with its quotes. */
export function replacedAt(
  state: EditorState,
  at: number,
): { readonly from: number; readonly to: number; readonly hasColon: boolean } {
  const node = treeOf(state).resolveInner(at, -1);
  if (SCALARS.has(node.name) || node.name === 'PropertyName') {
    return { from: node.from, to: node.to, hasColon: /^\s*:/.test(state.sliceDoc(node.to, node.to + 20)) };
  }
  const word = /["$\w.-]*$/.exec(state.sliceDoc(Math.max(0, at - 100), at))?.[0] ?? '';
  // The editor closes a quote by itself.
  const closes = word.startsWith('"') && state.sliceDoc(at, at + 1) === '"' ? 1 : 0;
  return { from: at - word.length, to: at + closes, hasColon: false };
}

function treeOf(state: EditorState): Tree {
  return ensureSyntaxTree(state, state.doc.length, MOST_MS) ?? syntaxTree(state);
}

function hasColonBefore(property: Node, state: EditorState, at: number): boolean {
  const name = property.getChild('PropertyName');
  return name !== null && state.sliceDoc(name.to, Math.max(name.to, at)).includes(':');
}

function nameOf(property: Node, state: EditorState): string {
  const name = property.getChild('PropertyName');
  if (name === null) return '';
  try {
    return String(JSON.parse(state.sliceDoc(name.from, name.to)));
  } catch {
    return state.sliceDoc(name.from + 1, name.to);
  }
}

/** The names and positions above a node. */
function pathOf(node: Node, state: EditorState): (string | number)[] {
  const path: (string | number)[] = [];
  let below = node;
  for (let above = node.parent; above !== null; above = above.parent) {
    if (above.name === 'Property') path.unshift(nameOf(above, state));
    if (above.name === 'Array') path.unshift(indexIn(above, below.from));
    below = above;
  }
  return path;
}

function indexIn(array: Node, at: number): number {
  let index = 0;
  for (let child = array.firstChild; child !== null; child = child.nextSibling) {
    if (child.to <= at && VALUES.has(child.name)) index += 1;
  }
  return index;
}
