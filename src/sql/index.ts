export { type Rendered, render, withCtes } from './render.js';
export {
  Cte,
  identifier,
  joined,
  literal,
  NOTHING,
  type Param,
  param,
  type ScalarType,
  type Sql,
  sql,
  typeName,
} from './sql.js';
