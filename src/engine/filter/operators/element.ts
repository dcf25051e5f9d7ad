import { invalid } from '../../../base/kernel/errors.js';
import { joined, type Sql, sql } from '../../../base/sql/index.js';
import { asJson, type Column, type FieldLocation, matches, type Scope, someValue } from '../scope.js';
import { type BsonType, node, type Test } from '../tree.js';
import { anyTrue, type OperatorParser, type TestCompilers, TRUE } from './operator.js';

/** Aliases and numbers in MongoDB's table of BSON types. Types that no stored value can have are `absent`. */
const TYPES: Readonly<Record<string, BsonType>> = {
  ...{ double: 'double', string: 'string', object: 'object', array: 'array', bool: 'bool', date: 'date' },
  ...{ null: 'null', int: 'int', long: 'long', number: 'number' },
  ...{
    1: 'double',
    2: 'string',
    3: 'object',
    4: 'array',
    8: 'bool',
    9: 'date',
    10: 'null',
    16: 'int',
    18: 'long',
  },
  ...{ binData: 'absent', undefined: 'absent', objectId: 'absent', regex: 'absent', dbPointer: 'absent' },
  ...{ javascript: 'absent', symbol: 'absent', javascriptWithScope: 'absent', timestamp: 'absent' },
  ...{ decimal: 'absent', minKey: 'absent', maxKey: 'absent' },
  ...{
    5: 'absent',
    6: 'absent',
    7: 'absent',
    11: 'absent',
    12: 'absent',
    13: 'absent',
    14: 'absent',
    15: 'absent',
  },
  ...{ 17: 'absent', 19: 'absent', '-1': 'absent', 127: 'absent' },
};

/** The names that jsonpath's `type()` returns. */
const JSON_TYPES = {
  null: 'null',
  bool: 'boolean',
  number: 'number',
  string: 'string',
  object: 'object',
} as const;

/** The numeric type that MongoDB's drivers choose: the narrowest integer type that holds the number, else double. */
const NUMBERS = {
  int: (n: Sql) => sql`${n} % 1 = 0 AND ${n} BETWEEN -2147483648 AND 2147483647`,
  long: (n: Sql) =>
    sql`${n} % 1 = 0 AND ${n} NOT BETWEEN -2147483648 AND 2147483647 AND ${n} BETWEEN -9223372036854775808 AND 9223372036854775807`,
  double: (n: Sql) => sql`(${n} % 1 <> 0 OR ${n} NOT BETWEEN -9223372036854775808 AND 9223372036854775807)`,
} as const;

/** MongoDB's manual, "Element Query Operators". */
export const elementParsers = {
  $exists(operand) {
    // As in MongoDB, only false, null and the number 0 mean "absent".
    const asksForPresent = operand !== false && operand !== null && operand !== 0;
    const exists = node<Test>({ kind: 'exists' });
    return asksForPresent ? exists : node({ kind: 'not', test: exists });
  },
  $type(operand) {
    const names = Array.isArray(operand) ? operand : [operand];
    if (names.length === 0) throw invalid('$type needs at least one type');
    return node({ kind: 'type', types: Object.freeze([...new Set(names.map(typeNamed))]) });
  },
} as const satisfies Record<string, OperatorParser>;

/** The names of the types that a stored value can have. */
const TYPE_NAMES = Object.keys(TYPES)
  .filter(name => !/\d/.test(name) && TYPES[name] !== 'absent')
  .join(', ');

function typeNamed(name: unknown): BsonType {
  const known = typeof name === 'string' ? !/\d/.test(name) : typeof name === 'number';
  if (known && Object.hasOwn(TYPES, String(name))) return TYPES[String(name)]!;
  throw invalid(`$type: ${JSON.stringify(name)?.slice(0, 60)} is not a type; expects one of ${TYPE_NAMES}`);
}

export const elementTests: Pick<TestCompilers, 'exists' | 'type'> = {
  // A column is present in every record that may be seen whole, even when its value is null (wire contract, Record).
  exists: (_test, location) => {
    if ('column' in location) return location.present ?? TRUE;
    return location.path.length === 0 ? TRUE : matches(location, at => `exists(${at})`);
  },
  type: ({ types }, location, scope) =>
    'column' in location && location.type.instant
      ? instantType(types, location)
      : anyTrue([...structuralType(types, location), ...numericType(types, location, scope)]),
};

/** Clients see dates as text, but their type is date: `$type: "string"` does not match them. */
function instantType(types: readonly BsonType[], { column, present = TRUE }: Column): Sql {
  const conditions: Sql[] = [];
  if (types.includes('date')) conditions.push(sql`${column} IS NOT NULL`);
  if (types.includes('null')) conditions.push(sql`${column} IS NULL AND ${present}`);
  return anyTrue(conditions);
}

function structuralType(types: readonly BsonType[], location: FieldLocation): Sql[] {
  const named = types.filter(type => type in JSON_TYPES) as (keyof typeof JSON_TYPES)[];
  const inside = asJson(location);
  const isArray = (at: string) => `${inside.isElement ? `${at}[*]` : at}.type() == "array"`;
  const isNamed = (at: string) => named.map(type => `${at}[*].type() == "${JSON_TYPES[type]}"`).join(' || ');
  return [
    ...(types.includes('array') ? [matches(inside, isArray)] : []),
    ...(named.length > 0 ? [matches(inside, isNamed, true)] : []),
  ];
}

function numericType(types: readonly BsonType[], location: FieldLocation, scope: Scope): Sql[] {
  const kinds = types.filter(type => type in NUMBERS) as (keyof typeof NUMBERS)[];
  if (kinds.length === 0) return [];
  return [
    someValue(location, scope, { elements: true }, value => {
      const number = sql`(${value})::numeric`;
      const conditions = kinds.map(kind => NUMBERS[kind](number));
      return sql`CASE WHEN jsonb_typeof(${value}) = 'number' THEN ${joined(conditions, ' OR ')} ELSE FALSE END`;
    }),
  ];
}
