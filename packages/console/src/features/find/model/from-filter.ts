import { equalJson, isObject, isOperators, type JsonObject } from '../../../values/json.js';
import type { Condition, Elements, Group, Item, Operator } from './model.js';
import { readRegex } from './pattern.js';
import { toFilter } from './to-filter.js';

/**
 * The builder's form of a filter. Parts for which it has no form become `Raw` items. `toFilter` of the result equals the
 * filter, whatever the filter is.
 */
export function fromFilter(filter: JsonObject): Group {
  const group = readFilter(filter, false, 'root');
  const root: Group = group.kind === 'group' ? group : { kind: 'group', mode: 'all', items: [group] };
  return equalJson(toFilter(root), filter)
    ? root
    : { kind: 'group', mode: 'all', items: [{ kind: 'raw', filter }] };
}

/** True if the builder shows every part of the filter in a form of its own. */
export function showsAll(item: Item): boolean {
  if (item.kind === 'raw') return false;
  if (item.kind === 'elements') return showsAll(item.group);
  return item.kind !== 'group' || item.items.every(showsAll);
}

const MODES = { $and: 'all', $or: 'any', $nor: 'none' } as const;

function readFilter(filter: JsonObject, inElement: boolean, position: 'root' | 'item'): Item {
  const items = Object.entries(filter).flatMap(([name, value]) => readMember(name, value, inElement));
  const [first] = items;
  if (items.length !== 1 || first === undefined) return { kind: 'group', mode: 'all', items };
  if (first.kind !== 'group') return position === 'item' ? first : { kind: 'group', mode: 'all', items };
  if (first.mode !== 'all') return first;
  return equalJson(toFilter(first, position), filter) ? first : { ...first, explicit: true };
}

function readMember(name: string, value: unknown, inElement: boolean): Item[] {
  const raw: Item = { kind: 'raw', filter: Object.fromEntries([[name, value]]) };
  if (Object.hasOwn(MODES, name)) {
    if (!Array.isArray(value) || value.length === 0 || !value.every(isObject)) return [raw];
    const items = value.map(each => readFilter(each, inElement, 'item'));
    return [{ kind: 'group', mode: MODES[name as keyof typeof MODES], items }];
  }
  if (name === '$search' && typeof value === 'string' && !inElement) return [{ kind: 'search', text: value }];
  if (name.startsWith('$') || name === '') return [raw];
  if (!isOperators(value)) return [{ kind: 'condition', field: name, operator: 'eq', value }];
  return readOperators(name, value) ?? [raw];
}

/** One item for each operator; undefined if the builder has no form for one of them. */
function readOperators(field: string, operators: JsonObject): (Condition | Elements)[] | undefined {
  const items: (Condition | Elements)[] = [];
  for (const [name, operand] of Object.entries(operators)) {
    if (name === '$options' && Object.hasOwn(operators, '$regex')) continue;
    const item = name === '$not' ? readNot(field, operand) : readOperator(field, name, operand, operators);
    if (item === undefined) return undefined;
    items.push(item);
  }
  return items;
}

/** `$not` of one operator. */
function readNot(field: string, operand: unknown): Condition | Elements | undefined {
  if (!isOperators(operand) || Object.hasOwn(operand, '$not')) return undefined;
  const items = readOperators(field, operand);
  const [item] = items ?? [];
  if (items?.length !== 1 || item === undefined) return undefined;
  if (item.kind === 'elements') return { ...item, not: true };
  const { explicit: _spelling, ...condition } = item;
  return { ...condition, not: true };
}

const isNumber = (value: unknown): value is number => typeof value === 'number';
const isText = (value: unknown): value is string => typeof value === 'string';
const isScalar = (value: unknown) => typeof value !== 'object' || value === null;
const isBits = (value: unknown) => isNumber(value) || (Array.isArray(value) && value.every(isNumber));

/** What the operand of an operator must be for the builder to show it. */
const SHOWN: Readonly<Record<string, (operand: unknown) => boolean>> = {
  eq: () => true,
  ne: () => true,
  gt: isScalar,
  gte: isScalar,
  lt: isScalar,
  lte: isScalar,
  in: Array.isArray,
  nin: Array.isArray,
  exists: operand => typeof operand === 'boolean',
  type: isText,
  search: isText,
  all: operand => Array.isArray(operand) && !operand.some(isOperators),
  size: isNumber,
  mod: operand => Array.isArray(operand) && operand.length === 2 && operand.every(isNumber),
  bitsAllSet: isBits,
  bitsAnySet: isBits,
  bitsAllClear: isBits,
  bitsAnyClear: isBits,
};

function readOperator(
  field: string,
  name: string,
  operand: unknown,
  operators: JsonObject,
): Condition | Elements | undefined {
  if (name === '$regex') {
    const { $options: options } = operators;
    if (!isText(operand) || !(options === undefined || isText(options))) return undefined;
    return { kind: 'condition', field, ...readRegex(operand, options) };
  }
  if (name === '$elemMatch') return isObject(operand) ? readElements(field, operand) : undefined;
  const operator = name.slice(1);
  if (!name.startsWith('$') || !Object.hasOwn(SHOWN, operator) || !SHOWN[operator]?.(operand))
    return undefined;
  const condition: Condition = { kind: 'condition', field, operator: operator as Operator, value: operand };
  return operator === 'eq' && field !== '' && !isOperators(operand)
    ? { ...condition, explicit: true }
    : condition;
}

function readElements(field: string, operand: JsonObject): Elements | undefined {
  const [first] = Object.keys(operand);
  if (first?.startsWith('$') && !Object.hasOwn(MODES, first)) {
    const items = readOperators('', operand);
    return items && { kind: 'elements', field, of: 'values', group: { kind: 'group', mode: 'all', items } };
  }
  const read = readFilter(operand, true, 'root');
  const group: Group = read.kind === 'group' ? read : { kind: 'group', mode: 'all', items: [read] };
  return { kind: 'elements', field, of: 'objects', group };
}
