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

/** What may stand between the parts of a list. */
const SEPARATORS = ['', ' ', ', ', ',\n', ' AND ', ' OR ', ' UNION ALL ', ' || ', ' + '] as const;
type Separator = (typeof SEPARATORS)[number];

const MAX_IDENTIFIER_BYTES = 63;
/** No reserved word of PostgreSQL holds a digit or `_`, but for those that are left out here: these names need no quotes. */
const PLAIN_IDENTIFIER = /^(?!current_|session_|system_)[a-z_]+(?:(?<=_)|[0-9])[a-z0-9_]*$/;
const TYPE_NAME = /^[a-z]+(?: [a-z]+)*(?:\[\])?$/;

/**
 * SQL as a value: constant text, and in its holes other SQL. A text from elsewhere gets in as an identifier or a literal, which
 * are quoted, or as a parameter, which stays out of the text and is numbered when the whole is rendered. Only the functions of
 * this file make such values, so there is no other way.
 */
export abstract class Sql {
  /** `strings`: the constant text around the parts, or what separates them. */
  protected constructor(
    readonly strings: readonly string[] | Separator,
    readonly parts: readonly Sql[],
    readonly shape: Shape,
  ) {}

  /** In a plain template it would stand as `[object Object]`. */
  [Symbol.toPrimitive](): never {
    throw new TypeError('SQL is no text: render it');
  }

  /** The same with `by` in every place of `part`. */
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
    if (!SEPARATORS.includes(separator)) throw new TypeError('This text does not separate parts of SQL');
    let shape = shapeOf('list', separator);
    for (const part of parts) shape = shape.with(shapeOfPart(part));
    super(separator, parts, shape);
  }
}

/** A template takes SQL only; at run time, too: a text that comes in as `any` is refused. */
function shapeOfPart(part: Sql): Shape {
  if (part instanceof Sql) return part.shape;
  throw new TypeError('A hole in SQL takes identifier(), literal(), param() or other SQL, and nothing else');
}

const NO_PARTS: readonly Sql[] = [];

class Leaf extends Sql {
  constructor(text: string) {
    super([text], NO_PARTS, shapeOf('leaf', text));
  }
}

/** A value that is sent beside the text. One that stands in several places has one number. */
export class Param extends Sql {
  constructor(
    readonly value: unknown,
    readonly type: SqlType,
  ) {
    super('', NO_PARTS, shapeOfType(type));
  }
}

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
  if (!TYPE_NAME.test(type)) throw new TypeError('This text names no type of SQL');
}

const cteNames = new Map<string, Leaf>();

/** The names of CTEs are few: they are in the code. */
function nameOf(name: string): Leaf {
  const known = cteNames.get(name) ?? new Leaf(quoted(name));
  cteNames.set(name, known);
  return known;
}

/** A common table expression. In other SQL it stands for its name. */
export class Cte extends Sql {
  /** `definition`: `name AS (query)`. */
  constructor(
    readonly name: string,
    readonly query: Sql,
    readonly how: {
      readonly materialized?: boolean;
      /** It reads no table: its rows come from parameters and from other CTEs alone. */
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

/** No SQL at all. */
export const NOTHING = sql``;

/** Parts one after the other. */
export function joined(parts: readonly Sql[], separator: Separator = ', '): Sql {
  return new List(parts, separator);
}

/** A value of a type beside the text. An array goes with a type such as `bigint[]`. */
export function param(value: unknown, type: SqlType): Param {
  return new Param(value, type);
}

/** A name, qualified if there are several. */
export function identifier(...names: readonly [string, ...string[]]): Sql {
  return new Leaf(names.map(quoted).join('.'));
}

/** A constant that must be part of the text: the planner is to know it, or the place takes no parameter. */
export function literal(value: string | number | boolean): Sql {
  if (typeof value === 'boolean') return new Leaf(String(value));
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('SQL has no such number');
    return new Leaf(value < 0 ? `(${value})` : String(value));
  }
  if (typeof value !== 'string' || value.includes('\0'))
    throw new TypeError('This value is no literal of SQL');
  const text = value.replaceAll("'", "''");
  return new Leaf(text.includes('\\') ? ` E'${text.replaceAll('\\', '\\\\')}'` : `'${text}'`);
}

/** The name of a type. */
export function typeName(type: SqlType): Sql {
  refuseOtherType(type);
  return new Leaf(type);
}

function quoted(name: string): string {
  if (typeof name !== 'string') throw new TypeError('An identifier is a text');
  const bytes = Buffer.byteLength(name);
  if (bytes === 0 || bytes > MAX_IDENTIFIER_BYTES || name.includes('\0'))
    throw new TypeError(`An identifier has 1 to ${MAX_IDENTIFIER_BYTES} bytes, and no NUL among them`);
  return PLAIN_IDENTIFIER.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
