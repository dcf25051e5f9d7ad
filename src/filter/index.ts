export { compileFilter } from './compile.js';
export { type FieldPath, parseFieldPath } from './field-path.js';
export { parseFilter } from './parse.js';
export { SqlParameters } from './sql-parameters.js';
export type { ShapedColumn, TableShape } from './table-shape.js';
export type { Filter } from './tree.js';
