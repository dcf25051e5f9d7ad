import { parser } from '@lezer/json';

/** A stretch of the text, in UTF-16 units. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What is wrong with a JSON text. The texts are `find.json_<kind>`. */
interface JsonProblem extends Span {
  readonly kind: 'syntax' | 'string' | 'number' | 'end' | 'duplicate' | 'unsafe' | 'deep';
}

export interface ParsedJson {
  /** Undefined if the text is not JSON. */
  readonly value: unknown;
  readonly problems: readonly JsonProblem[];
  /** Where the key (else the value) with this path stands: `["or", 0, "year"]` as JSON text. */
  readonly spans: ReadonlyMap<string, Span>;
}

const MAX_LEVELS = 200;
const VALUES = new Set(['Object', 'Array', 'String', 'Number', 'True', 'False', 'Null']);

/**
 * Reads JSON by `JSON.parse`, and the places of everything from the syntax tree of the editor. It also finds what
 * `JSON.parse` would change silently: a member that is there twice, and a number that loses digits.
 */
export function parseJson(text: string): ParsedJson {
  const spans = new Map<string, Span>();
  const tree = parser.parse(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    let at: number | undefined;
    tree.iterate({
      enter: ({ type, from }) => {
        if (type.isError) at ??= from;
      },
    });
    return { value: undefined, problems: [flawAt(text, at ?? text.length)], spans };
  }
  const problems: JsonProblem[] = [];
  const path: (string | number)[] = [];
  /** For each object or list around the place: the names in it, or how many items it has so far. */
  const around: (Set<string> | { items: number })[] = [];
  tree.iterate({
    enter: ({ name, from, to }) => {
      const holder = around.at(-1);
      if (name === 'PropertyName' && holder instanceof Set) {
        const member = JSON.parse(text.slice(from, to)) as string;
        if (holder.has(member)) problems.push({ kind: 'duplicate', from, to });
        holder.add(member);
        path.push(member);
        spans.set(JSON.stringify(path), { from, to });
      }
      if (!VALUES.has(name)) return;
      if (holder !== undefined && 'items' in holder) path.push(holder.items++);
      const key = JSON.stringify(path);
      if (!spans.has(key)) spans.set(key, { from, to });
      if (path.length === MAX_LEVELS + 1) problems.push({ kind: 'deep', from, to: from + 1 });
      if (name === 'Object') around.push(new Set());
      if (name === 'Array') around.push({ items: 0 });
      if (name === 'Number' && !isExact(text.slice(from, to))) problems.push({ kind: 'unsafe', from, to });
    },
    leave: ({ name }) => {
      if (name === 'Object' || name === 'Array') around.pop();
      const holder = around.at(-1);
      if (name === 'Property' || (VALUES.has(name) && holder !== undefined && 'items' in holder)) path.pop();
    },
  });
  return { value, problems, spans };
}

function isExact(text: string): boolean {
  return /^-?\d+$/.test(text) ? Number.isSafeInteger(Number(text)) : Number.isFinite(Number(text));
}

/** What is wrong where the parser could not go on. */
function flawAt(text: string, at: number): JsonProblem {
  const from = at + text.slice(at).search(/[^ \t\n\r]|$/);
  if (from === text.length) return { kind: 'end', from: Math.max(0, from - 1), to: from };
  if (text[from] === '"') {
    const line = text.indexOf('\n', from);
    return { kind: 'string', from, to: line < 0 ? text.length : line };
  }
  return { kind: text[from] === '-' ? 'number' : 'syntax', from, to: from + 1 };
}
