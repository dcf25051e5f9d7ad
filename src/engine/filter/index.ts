export { foldedCase } from './case-folding.js';
export { compileFilter } from './compile.js';
export { type FieldPath, parseFieldPath } from './field-path.js';
export {
  anchorHolds,
  dividedAt,
  isAnchor,
  type Position,
  positionOf,
  rangesAfter,
  shortPosition,
} from './keyset.js';
export { anyTrue } from './operators/operator.js';
export { type Conditions, parseFilter } from './parse.js';
export { type Part, partsOf } from './parts.js';
export { IRREGULAR, type PathKey, pathKey, pathText } from './path-key.js';
export { type Projection, parseProjection } from './projection.js';
export { replaceTexts } from './replace-texts.js';
export {
  type FieldExpression,
  fieldExpression,
  fieldValues,
  type ShapedColumn,
  type TableShape,
} from './scope.js';
export { keyOf, orderBy, parseSort, reversed, type Sort, type SortKey, sortKeys } from './sort.js';
export type { Filter } from './tree.js';
