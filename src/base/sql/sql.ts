import { type Shape, shapeOf, shapeOfTemplate } from './shape.js';

/** A type that a value is cast to. */
export type ScalarType =
  | 'bigint'
  | 'boolean'
  | 'bytea'
  | 'date'
  | 'double precision'
  | 'integer'
  | 'jsonb'
  | 'jsonpath'
  | 'numeric'
  | 'smallint'
  | 'text'
  | 'timestamptz'
  | 'uuid';

export type SqlType = ScalarType | `${ScalarType}[]`;

/** Separators between the parts of a list. */
const SEPARATORS = ['', ' ', ', ', ',\n', ' AND ', ' OR ', ' UNION ALL ', ' || ', ' + '] as const;
type Separator = (typeof SEPARATORS)[number];

const MAX_IDENTIFIER_BYTES = 63;
/**
 * Names that need no quotes: no reserved word of PostgreSQL contains a digit or `_`, except those with the prefixes
 * excluded here.
 */
const PLAIN_IDENTIFIER = /^(?!current_|session_|system_)[a-z_]+(?:(?<=_)|[0-9])[a-z0-9_]*$/;
const TYPE_NAME = /^[a-z]+(?: [a-z]+)*(?:\[\])?$/;

/**
 * SQL as a value: constant text with other SQL in its holes. Text from elsewhere can be included only as an identifier
 * or a literal, which are quoted, or as a parameter, which is not part of the text and is numbered at rendering. Only
 * the functions in this file create such values.
 */
export abstract class Sql {
  /** `strings`: the constant text around the parts, or their separator. */
  protected constructor(
    readonly strings: readonly string[] | Separator,
    readonly parts: readonly Sql[],
    readonly shape: Shape,
  ) {}

  /** Throws, because in a plain template string SQL would become `[object Object]`. */
  [Symbol.toPrimitive](): never {
    throw new TypeError('a statement is not a string: render it first');
  }

  /** The same SQL with `part` replaced by `by` everywhere. */
  replaced(part: Sql, by: Sql): Sql {
    if (this === part) return by;
    const parts = this.parts.map(each => each.replaced(part, by));
    if (parts.every((each, index) => each === this.parts[index])) return this;
    return typeof this.strings === 'string' ? joined(parts, this.strings) : new Template(this.strings, parts);
  }
}

class Template extends Sql {
  constructor(strings: readonly string[], parts: readonly Sql[]) {
    let shape = shapeOfTemplate(strings);
    for (const part of parts) shape = shape.with(shapeOfPart(part));
    super(strings, parts, shape);
  }
}

class List extends Sql {
  constructor(parts: readonly Sql[], separator: Separator) {
    if (!SEPARATORS.includes(separator)) throw new TypeError('this text is not an allowed separator');
    let shape = shapeOf('list', separator);
    for (const part of parts) shape = shape.with(shapeOfPart(part));
    super(separator, parts, shape);
  }
}

/** Also checks at run time that a part is SQL, because a value of type `any` passes the compiler. */
function shapeOfPart(part: Sql): Shape {
  if (part instanceof Sql) return part.shape;
  throw new TypeError('a placeholder of sql`` accepts only identifier(), literal(), param() or other SQL');
}

const NO_PARTS: readonly Sql[] = [];

class Leaf extends Sql {
  constructor(text: string) {
    super([text], NO_PARTS, shapeOf('leaf', text));
  }
}

/** A value that is sent separately from the text. When it is used several times, it has one number. */
export class Param extends Sql {
  constructor(
    readonly value: unknown,
    readonly type: SqlType,
  ) {
    super('', NO_PARTS, shapeOfType(type));
  }
}

// biome-ignore lint/plugin/bounded-maps: types of SQL
const placeholders = new Map<string, Shape>();

function shapeOfType(type: SqlType): Shape {
  let shape = placeholders.get(type);
  if (shape === undefined) {
    refuseOtherType(type);
    shape = shapeOf('placeholder', type);
    placeholders.set(type, shape);
  }
  return shape;
}

function refuseOtherType(type: string): void {
  if (!TYPE_NAME.test(type)) throw new TypeError('this text is not a type name of SQL');
}

// biome-ignore lint/plugin/bounded-maps: names in the code
const cteNames = new Map<string, Leaf>();

/** Names of CTEs are constants in the code, so there are few. */
function nameOf(name: string): Leaf {
  const leaf = cteNames.get(name) ?? new Leaf(quoted(name));
  cteNames.set(name, leaf);
  return leaf;
}

/** A common table expression. Used in other SQL, it is rendered as its name. */
export class Cte extends Sql {
  /** `definition`: `name AS (query)`. */
  constructor(
    readonly name: string,
    readonly query: Sql,
    readonly how: {
      readonly materialized?: boolean;
      /** True when it reads no table: its rows come only from parameters and other CTEs. */
      readonly computed?: boolean;
    } = {},
  ) {
    const { strings, shape } = nameOf(name);
    super(strings, NO_PARTS, shape);
  }

  get definition(): Sql {
    return this.how.materialized
      ? sql`${this} AS MATERIALIZED (${this.query})`
      : sql`${this} AS (${this.query})`;
  }
}

/** SQL from a template. */
export function sql(strings: TemplateStringsArray, ...parts: readonly Sql[]): Sql {
  return new Template(strings, parts);
}

/** Empty SQL. */
export const NOTHING = sql``;

/**
 * A comment in statements whose best plan depends on the values of their parameters. They are not prepared, so
 * PostgreSQL plans each of them with its values.
 */
export const PLANNED_EACH_TIME = sql`/* planned each time */ `;

/** True for the text of a statement that contains `PLANNED_EACH_TIME`. */
export function isPlannedEachTime(text: string): boolean {
  return text.includes('/* planned each time */');
}

/** Parts joined by a separator. */
export function joined(parts: readonly Sql[], separator: Separator = ', '): Sql {
  return new List(parts, separator);
}

/** A value with its SQL type as a parameter. An array has a type such as `bigint[]`. */
export function param(value: unknown, type: SqlType): Param {
  return new Param(value, type);
}

/** A quoted name, qualified if there are several parts. */
export function identifier(...names: readonly [string, ...string[]]): Sql {
  return new Leaf(names.map(quoted).join('.'));
}

/** A constant in the text, for cases where the planner must know it or PostgreSQL accepts no parameter. */
export function literal(value: string | number | boolean): Sql {
  if (typeof value === 'boolean') return new Leaf(String(value));
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('this number cannot be written as a literal of SQL');
    return new Leaf(value < 0 ? `(${value})` : String(value));
  }
  if (typeof value !== 'string' || value.includes('\0'))
    throw new TypeError('this value cannot be written as a literal of SQL');
  const text = value.replaceAll("'", "''");
  return new Leaf(text.includes('\\') ? ` E'${text.replaceAll('\\', '\\\\')}'` : `'${text}'`);
}

/** The name of a type. */
export function typeName(type: SqlType): Sql {
  refuseOtherType(type);
  return new Leaf(type);
}

function quoted(name: string): string {
  if (typeof name !== 'string') throw new TypeError('an identifier must be a string');
  const bytes = Buffer.byteLength(name);
  if (bytes === 0 || bytes > MAX_IDENTIFIER_BYTES || name.includes('\0'))
    throw new TypeError(`an identifier must have 1 to ${MAX_IDENTIFIER_BYTES} bytes, without NUL`);
  return PLAIN_IDENTIFIER.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
