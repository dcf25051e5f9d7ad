import { describe, expect, it } from 'vitest';
import { type Columns } from '../../../values/field-types.js';
import { choiceOf, choicesFor, fitted, newCondition, withChoice, withField, withType } from './choices.js';
import { fromFilter } from './from-filter.js';
import type { Condition } from './model.js';
import { problemsOf } from './problems.js';
import { toFilter } from './to-filter.js';

const columns: Columns = {
  title: { type: 'text', nullable: false },
  year: { type: 'integer', nullable: true },
  price: { type: 'double', nullable: true },
  lent: { type: 'boolean', nullable: true },
  printed: { type: 'date', nullable: true },
  read_at: { type: 'datetime', nullable: true },
  tags: { type: 'array', nullable: true },
  details: { type: 'json', nullable: true },
};
const FIELDS = [...Object.keys(columns), '_id', 'created_at', 'shelf', 'details.city', 'tags.0'];

const filterOf = (item: Condition) => toFilter({ kind: 'group', mode: 'all', items: [item] });
const condition = (filter: object) => fromFilter(filter as never).items[0] as Condition;

describe('the operators of a field', () => {
  it.each(FIELDS)('each choice for %s is the choice that its condition then shows', field => {
    const start = newCondition(field, columns);
    for (const choice of choicesFor(start, columns)) {
      expect(choiceOf(withChoice(start, choice, columns), columns)).toEqual(choice);
    }
  });

  it('offer presence and type only for fields without a column', () => {
    const ids = (field: string) => choicesFor(newCondition(field, columns), columns).map(({ id }) => id);
    expect(ids('year')).not.toContain('exists');
    expect(ids('shelf')).toEqual(expect.arrayContaining(['exists', 'absent', 'type']));
  });

  it('fit the type of the column', () => {
    const ids = (field: string) => choicesFor(newCondition(field, columns), columns).map(({ id }) => id);
    expect(ids('lent')).toEqual(['is', 'isNot', 'isNull', 'isNotNull']);
    expect(ids('printed')).toContain('before');
    expect(ids('printed')).not.toContain('greater');
    expect(ids('tags')).toEqual(expect.arrayContaining(['has', 'hasAll', 'size', 'element']));
    expect(ids('year')).not.toContain('contains');
  });

  it('show an operator that the list does not offer', () => {
    const item = condition({ year: { $not: { $gt: 5 } } });
    expect(choicesFor(item, columns)[0]).toMatchObject({ id: 'greater', not: true });
  });
});

describe('changing a condition', () => {
  it('keeps the value when the operator changes', () => {
    const item = condition({ year: { $gt: 5 } });
    const list = choicesFor(item, columns).find(({ id }) => id === 'oneOf');
    expect(filterOf(withChoice(item, list!, columns) as Condition)).toEqual({ year: { $in: [5] } });
  });

  it('keeps the text of a pattern', () => {
    const item = condition({ title: { $regex: '^E' } });
    const end = choicesFor(item, columns).find(({ id }) => id === 'endsWith');
    expect(filterOf(withChoice(item, end!, columns) as Condition)).toEqual({ title: { $regex: 'E$' } });
  });

  it('drops a value and an operator that the new field cannot have', () => {
    const moved = withField(condition({ title: { $regex: '^E' } }), 'year', columns) as Condition;
    expect(moved).toMatchObject({ field: 'year', operator: 'eq', value: undefined });
  });

  it('uses the chosen type for a field without a column', () => {
    const item = fitted(withType(newCondition('shelf', columns), 'double', columns), columns);
    expect(choicesFor(item, columns).map(({ id }) => id)).toContain('atLeast');
  });
});

describe('an incomplete condition', () => {
  it.each([
    [{ kind: 'condition', field: '', operator: 'eq', value: 1 }, 'field'],
    [{ kind: 'condition', field: '$a', operator: 'eq', value: 1 }, 'field'],
    [{ kind: 'condition', field: 'a', operator: 'eq', value: undefined }, 'value'],
    [{ kind: 'condition', field: 'a', operator: 'in', value: [] }, 'value'],
    [{ kind: 'condition', field: 'a', operator: 'mod', value: [undefined, 0] }, 'value'],
    [{ kind: 'condition', field: 'a', operator: 'startsWith', value: '' }, 'value'],
    [{ kind: 'condition', field: 'a', operator: 'eq', value: { $gt: 1 } }, 'operators'],
  ] as const)('%j has the problem %s', (item, problem) => {
    expect(problemsOf({ kind: 'group', mode: 'all', items: [item] })).toEqual(new Map([['0', problem]]));
  });

  it('is none if its value is empty text, false, 0 or null', () => {
    for (const value of ['', false, 0, null]) {
      const item = { kind: 'condition', field: 'a', operator: 'eq', value } as const;
      expect(problemsOf({ kind: 'group', mode: 'all', items: [item] }).size).toBe(0);
    }
  });

  it('is JSON that is not finished', () => {
    const raw = (text?: string) =>
      problemsOf({ kind: 'group', mode: 'all', items: [{ kind: 'raw', filter: {}, text }] });
    expect([raw().size, raw('{"a": 1}').size]).toEqual([0, 0]);
    expect(raw('{"a": ')).toEqual(new Map([['0', 'json']]));
    expect(raw('[]').size).toBe(1);
  });

  it('is two equal operators on the element of a list', () => {
    const test = (operator: 'gt' | 'lt') => ({ kind: 'condition', field: '', operator, value: 1 }) as const;
    const elements = (...items: Condition[]) =>
      ({ kind: 'elements', field: 'a', of: 'values', group: { kind: 'group', mode: 'all', items } }) as const;
    const problems = (item: ReturnType<typeof elements>) =>
      problemsOf({ kind: 'group', mode: 'all', items: [item] });
    expect(problems(elements(test('gt'), test('lt'))).size).toBe(0);
    expect(problems(elements(test('gt'), test('gt')))).toEqual(new Map([['0', 'twice']]));
    expect(problems(elements())).toEqual(new Map([['0', 'empty']]));
  });
});
