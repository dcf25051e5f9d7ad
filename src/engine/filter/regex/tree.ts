import type { CodePoints } from './code-points.js';

/** A pattern whose options are resolved: every node means the same wherever it is. */
export type Pattern =
  | { readonly kind: 'either'; readonly ways: readonly Pattern[] }
  | { readonly kind: 'sequence'; readonly items: readonly Pattern[] }
  | { readonly kind: 'repeat'; readonly item: Pattern; readonly min: number; readonly max: number }
  | { readonly kind: 'group'; readonly inside: Pattern; readonly captures: boolean }
  | { readonly kind: 'look'; readonly inside: Pattern; readonly behind: boolean; readonly negative: boolean }
  | { readonly kind: 'back'; readonly group: number }
  | { readonly kind: 'set'; readonly set: CodePoints; readonly negated: boolean }
  | { readonly kind: 'assert'; readonly what: Assertion };

/** `end` is the end of the text or a line break before it; `lineStart` and `lineEnd` are those of the option `m`. */
export type Assertion = 'start' | 'end' | 'veryEnd' | 'lineStart' | 'lineEnd' | 'word' | 'notWord';
