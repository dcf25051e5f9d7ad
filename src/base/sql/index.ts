export { looseIndexScan } from './loose-index-scan.js';
export { type Rendered, render, withCtes } from './render.js';
export {
  Cte,
  identifier,
  isPlannedEachTime,
  joined,
  literal,
  NOTHING,
  Param,
  PLANNED_EACH_TIME,
  param,
  type ScalarType,
  type Sql,
  sql,
  typeName,
} from './sql.js';
