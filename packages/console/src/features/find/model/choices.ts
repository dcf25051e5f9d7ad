import { type Columns, columnType, type FieldType, fits, initialValue } from '../../../values/field-types.js';
import type { Condition, Elements, Operator, Pattern } from './model.js';
import { typeOf } from './model.js';

/** How the value of an operator is entered. */
export type Shape =
  | 'none'
  | 'one'
  | 'list'
  | 'text'
  | 'pattern'
  | 'count'
  | 'mod'
  | 'bits'
  | 'typeName'
  | 'elements';

/** An entry of the list of operators. Its text is `find.op_<id>`. */
export interface Choice {
  readonly id: ChoiceId;
  readonly operator: Operator | 'elements';
  readonly shape: Shape;
  readonly not?: true;
  /** For shape `none`: the operand. */
  readonly value?: unknown;
  /** The types of fields for which it is offered. */
  readonly types: readonly FieldType[];
  /** Offered only for fields without a column: a column is present in every record, with values of one type. */
  readonly open?: true;
}

const TEXT = ['text'] as const;
const NUMBERS = ['integer', 'double'] as const;
const DATES = ['date', 'datetime'] as const;
const ARRAY = ['array'] as const;
const LISTS = ['array', 'json'] as const;
const PLAIN = ['text', 'integer', 'double', 'date', 'datetime', 'id'] as const;
const VALUES = [...PLAIN, 'boolean', 'json'] as const;
const ALL = [...VALUES, 'array'] as const;
const SEARCHED = ['text', 'array', 'json'] as const;
const ORDERED = ['text', 'integer', 'double', 'json', 'id'] as const;

const TABLE = [
  { id: 'is', operator: 'eq', shape: 'one', types: VALUES },
  { id: 'isNot', operator: 'ne', shape: 'one', types: VALUES },
  { id: 'has', operator: 'eq', shape: 'one', types: ARRAY },
  { id: 'hasNot', operator: 'ne', shape: 'one', types: ARRAY },
  { id: 'contains', operator: 'search', shape: 'text', types: SEARCHED },
  { id: 'containsNot', operator: 'search', not: true, shape: 'text', types: SEARCHED },
  { id: 'startsWith', operator: 'startsWith', shape: 'text', types: SEARCHED },
  { id: 'startsNotWith', operator: 'startsWith', not: true, shape: 'text', types: TEXT },
  { id: 'endsWith', operator: 'endsWith', shape: 'text', types: SEARCHED },
  { id: 'endsNotWith', operator: 'endsWith', not: true, shape: 'text', types: TEXT },
  { id: 'includes', operator: 'includes', shape: 'text', types: SEARCHED },
  { id: 'includesNot', operator: 'includes', not: true, shape: 'text', types: TEXT },
  { id: 'matches', operator: 'matches', shape: 'pattern', types: SEARCHED },
  { id: 'matchesNot', operator: 'matches', not: true, shape: 'pattern', types: SEARCHED },
  { id: 'greater', operator: 'gt', shape: 'one', types: ORDERED },
  { id: 'atLeast', operator: 'gte', shape: 'one', types: ORDERED },
  { id: 'less', operator: 'lt', shape: 'one', types: ORDERED },
  { id: 'atMost', operator: 'lte', shape: 'one', types: ORDERED },
  { id: 'after', operator: 'gt', shape: 'one', types: DATES },
  { id: 'from', operator: 'gte', shape: 'one', types: DATES },
  { id: 'before', operator: 'lt', shape: 'one', types: DATES },
  { id: 'until', operator: 'lte', shape: 'one', types: DATES },
  { id: 'oneOf', operator: 'in', shape: 'list', types: [...PLAIN, 'json'] },
  { id: 'noneOf', operator: 'nin', shape: 'list', types: [...PLAIN, 'json'] },
  { id: 'hasOneOf', operator: 'in', shape: 'list', types: ARRAY },
  { id: 'hasNoneOf', operator: 'nin', shape: 'list', types: ARRAY },
  { id: 'hasAll', operator: 'all', shape: 'list', types: LISTS },
  { id: 'size', operator: 'size', shape: 'count', types: LISTS },
  { id: 'sizeNot', operator: 'size', not: true, shape: 'count', types: LISTS },
  { id: 'element', operator: 'elements', shape: 'elements', types: LISTS },
  { id: 'elementNot', operator: 'elements', not: true, shape: 'elements', types: LISTS },
  { id: 'mod', operator: 'mod', shape: 'mod', types: NUMBERS },
  { id: 'bitsAllSet', operator: 'bitsAllSet', shape: 'bits', types: NUMBERS },
  { id: 'bitsAnySet', operator: 'bitsAnySet', shape: 'bits', types: NUMBERS },
  { id: 'bitsAllClear', operator: 'bitsAllClear', shape: 'bits', types: NUMBERS },
  { id: 'bitsAnyClear', operator: 'bitsAnyClear', shape: 'bits', types: NUMBERS },
  { id: 'isNull', operator: 'eq', shape: 'none', value: null, types: ALL },
  { id: 'isNotNull', operator: 'ne', shape: 'none', value: null, types: ALL },
  { id: 'exists', operator: 'exists', shape: 'none', value: true, types: ALL, open: true },
  { id: 'absent', operator: 'exists', shape: 'none', value: false, types: ALL, open: true },
  { id: 'type', operator: 'type', shape: 'typeName', types: ALL, open: true },
  { id: 'typeNot', operator: 'type', not: true, shape: 'typeName', types: ALL, open: true },
] as const satisfies readonly (Omit<Choice, 'id'> & { readonly id: string })[];

type ChoiceId = (typeof TABLE)[number]['id'];

const CHOICES: readonly Choice[] = TABLE;

/** The names of `$type`. */
export const TYPE_NAMES = [
  'string',
  'number',
  'int',
  'long',
  'double',
  'bool',
  'date',
  'array',
  'object',
  'null',
];

/** The operators for the field of a condition: by its column, or by the type that was chosen. */
export function choicesFor(item: Condition | Elements, columns: Columns): readonly Choice[] {
  const type =
    item.kind === 'elements' ? (columnType(item.field, columns) ?? 'array') : typeOf(item, columns);
  const isOpen = columnType(item.field, columns) === undefined && item.field !== '';
  const offered = CHOICES.filter(
    choice =>
      choice.types.includes(type) &&
      (isOpen || !choice.open) &&
      (item.field !== '' || choice.shape !== 'elements'),
  );
  const current = choiceOf(item, columns);
  return offered.includes(current) ? offered : [current, ...offered];
}

/** The entry that a condition has now. One that no entry describes, such as "not greater than", gets one of its own. */
export function choiceOf(item: Condition | Elements, columns: Columns): Choice {
  const operator = item.kind === 'elements' ? 'elements' : item.operator;
  const same = CHOICES.filter(
    choice =>
      choice.operator === operator &&
      choice.not === item.not &&
      (choice.shape !== 'none' || (item.kind === 'condition' && choice.value === item.value)),
  );
  const type = item.kind === 'condition' ? typeOf(item, columns) : 'array';
  const isFixed = same.find(({ shape }) => shape === 'none');
  const found = isFixed ?? same.find(({ types }) => types.includes(type)) ?? same[0];
  if (found !== undefined) return found;
  const { not: _not, ...positive } = item;
  return { ...choiceOf(positive as Condition, columns), not: true };
}

/** The condition with another operator. Its value is kept if the new operator can have it. */
export function withChoice(
  item: Condition | Elements,
  { operator, not, shape, value }: Choice,
  columns: Columns,
): Condition | Elements {
  const { field } = item;
  if (operator === 'elements') {
    const group =
      item.kind === 'elements' ? item.group : ({ kind: 'group', mode: 'all', items: [] } as const);
    return {
      kind: 'elements',
      field,
      of: item.kind === 'elements' ? item.of : 'values',
      group,
      ...(not && { not }),
    };
  }
  const as = item.kind === 'condition' ? item.as : undefined;
  const next: Condition = {
    kind: 'condition',
    field,
    operator,
    value,
    ...(not && { not }),
    ...(as && { as }),
  };
  if (shape === 'none') return next;
  const old = item.kind === 'condition' && choiceOf(item, columns).shape !== 'none' ? item.value : undefined;
  return { ...next, value: keptValue(shape, old, typeOf({ ...next, value: old ?? '' }, columns)) };
}

/** The value of an operator of this shape that says most of what the old value said. */
function keptValue(shape: Shape, old: unknown, type: FieldType): unknown {
  const single = Array.isArray(old) ? old[0] : old;
  switch (shape) {
    case 'one':
      return fits(type, single) ? single : initialValue(type);
    case 'list':
      return Array.isArray(old) ? old : fits(type, old) ? [old] : [];
    case 'text':
      return typeof single === 'string' ? single : (patternOf(old)?.pattern ?? '');
    case 'pattern':
      return patternOf(old) ?? { pattern: typeof single === 'string' ? single : '' };
    case 'count':
    case 'bits':
      return typeof single === 'number' ? single : undefined;
    case 'mod':
      return Array.isArray(old) && old.length === 2 ? old : [undefined, 0];
    default:
      return shape === 'typeName' ? 'string' : undefined;
  }
}

function patternOf(value: unknown): Pattern | undefined {
  return typeof value === 'object' && value !== null && 'pattern' in value ? (value as Pattern) : undefined;
}

/** The condition with another field. Operator and value are kept as far as the type of the field allows. */
export function withField(item: Condition | Elements, field: string, columns: Columns): Condition | Elements {
  const moved =
    item.kind === 'elements' ? { ...item, field } : withType({ ...item, field }, item.as, columns);
  return fitted(moved, columns);
}

/** The condition with another type for a field without a column. */
export function withType(item: Condition, as: FieldType | undefined, columns: Columns): Condition {
  const { as: _as, ...rest } = item;
  return as === undefined || columnType(item.field, columns) !== undefined ? rest : { ...rest, as };
}

/** The condition with an operator and a value that the type of its field has. */
export function fitted(item: Condition | Elements, columns: Columns): Condition | Elements {
  const choices = choicesFor(item, columns);
  const current = choiceOf(item, columns);
  const type =
    item.kind === 'elements' ? (columnType(item.field, columns) ?? 'array') : typeOf(item, columns);
  const choice = current.types.includes(type) ? current : choices.find(({ types }) => types.includes(type));
  return choice === undefined ? item : withChoice(item, choice, columns);
}

/** A new condition on a field. */
export function newCondition(field: string, columns: Columns): Condition {
  const type = columnType(field, columns) ?? 'text';
  return withType({ kind: 'condition', field, operator: 'eq', value: initialValue(type) }, type, columns);
}
