import { isObject, isOperators } from '../../../values/json.js';
import type { Path } from './edit.js';
import type { Condition, Group, Item } from './model.js';

/** Why an item cannot be applied yet. The texts are `find.problem_<name>`. */
export type Problem = 'field' | 'value' | 'operators' | 'empty' | 'twice' | 'json';

/** The incomplete items of a model, by their path as text (`0.2`). */
export function problemsOf(group: Group): ReadonlyMap<string, Problem> {
  const found = new Map<string, Problem>();
  const visit = (items: readonly Item[], above: Path, ofValues: boolean) => {
    for (const [index, item] of items.entries()) {
      const path = [...above, index];
      const problem = problemOf(item, ofValues);
      if (problem !== undefined) found.set(path.join('.'), problem);
      if (item.kind === 'group') visit(item.items, path, ofValues);
      if (item.kind === 'elements') visit(item.group.items, path, item.of === 'values');
    }
  };
  visit(group.items, [], false);
  return found;
}

function problemOf(item: Item, ofValues: boolean): Problem | undefined {
  if (item.kind === 'search') return item.text === '' ? 'value' : undefined;
  if (item.kind === 'group') return undefined;
  if (item.kind === 'raw') return item.text !== undefined && !isFilterText(item.text) ? 'json' : undefined;
  // The element itself has no name.
  if (ofValues !== (item.field === '') || item.field.startsWith('$')) return 'field';
  if (item.kind === 'condition') return problemOfValue(item);
  return item.of === 'values' ? problemOfElement(item.group) : undefined;
}

/** Conditions on the element itself stand in one object, where each operator can be once. */
function problemOfElement({ items }: Group): Problem | undefined {
  if (items.length === 0) return 'empty';
  const operators = items.map(item => (item.kind === 'condition' ? `${item.not ?? ''}${keyOf(item)}` : ''));
  return new Set(operators).size < operators.length ? 'twice' : undefined;
}

const PATTERNS = new Set(['startsWith', 'endsWith', 'includes', 'matches']);

function keyOf({ operator, not }: Condition): string {
  if (not) return 'not';
  return PATTERNS.has(operator) ? 'regex' : operator;
}

function problemOfValue({ operator, value }: Condition): Problem | undefined {
  if (value === undefined) return 'value';
  if (operator === 'matches') return (value as { pattern: string }).pattern === '' ? 'value' : undefined;
  if (PATTERNS.has(operator) || operator === 'search') return value === '' ? 'value' : undefined;
  if (operator === 'mod') return (value as unknown[]).includes(undefined) ? 'value' : undefined;
  if (operator === 'in' || operator === 'nin' || operator === 'all') {
    const values = value as unknown[];
    return values.length === 0 || values.includes(undefined) ? 'value' : undefined;
  }
  return operator === 'eq' && isOperators(value) ? 'operators' : undefined;
}

function isFilterText(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}
