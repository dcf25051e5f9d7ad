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
  type SqlType,
  sql,
  typeName,
} from './sql.js';
