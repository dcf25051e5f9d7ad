import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../values/json.js';
import { fromFilter, showsAll } from './from-filter.js';
import type { Condition, Elements, Group, Item, Mode } from './model.js';
import { patternValue } from './pattern.js';
import { toFilter } from './to-filter.js';

/** Random tests run longer in `npm run test:long`. */
const TIMES = Number(import.meta.env.TIMES ?? 1);

/** Names of fields, among them numbers, names with dots and names that JavaScript treats in a special way. */
const field = fc.oneof(
  fc.constantFrom('year', 'title', 'a.b', 'tags.0', '0', '17', '__proto__', 'constructor', 'é ', '-x', 'a"b'),
  fc.string({ minLength: 1, maxLength: 4 }).filter(name => !name.startsWith('$')),
);
const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })).map(n => n + 0);
const text = fc.oneof(fc.string(), fc.constantFrom('', '^a', 'a$', 'a.b', '\\', '(', '{"$gt": 1}', '\n'));
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const value = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.constant({ city: 'Paris', n: [1] }),
  fc.constant({}),
);
const values = fc.array(value, { maxLength: 3 });

type Test = Pick<Condition, 'operator' | 'value'>;
const operator = (
  names: readonly Condition['operator'][],
  operand: fc.Arbitrary<unknown>,
): fc.Arbitrary<Test> => fc.record({ operator: fc.constantFrom(...names), value: operand });

const test = fc.oneof(
  operator(['eq', 'ne'], value),
  operator(['gt', 'gte', 'lt', 'lte'], scalar),
  operator(['in', 'nin', 'all'], values),
  operator(['exists'], fc.boolean()),
  operator(['type', 'search', 'startsWith', 'endsWith', 'includes'], text),
  operator(['size'], fc.nat()),
  operator(['mod'], fc.tuple(number, number)),
  operator(['bitsAllSet', 'bitsAnyClear'], fc.oneof(fc.nat(), fc.array(fc.nat(), { maxLength: 3 }))),
  operator(
    ['matches'],
    fc
      .tuple(text, fc.constantFrom('', 'i', 'ms'))
      .map(([pattern, options]) => patternValue(pattern, options)),
  ),
);
/** What the builder has no form for, one member each. */
const unknown = fc.constantFrom<JsonObject>(
  { year: { $near: 5 } },
  { $where: 'true' },
  { $or: [] },
  { year: { $gt: [1] } },
  { tags: { $all: [{ $elemMatch: { $gt: 1 } }] } },
  { a: { $not: { $gt: 1, $lt: 5 } } },
  { b: { $gt: 1, plain: 2 } },
);

const no = fc.constantFrom<{ not?: true }>({}, {}, { not: true });
const condition = (name: fc.Arbitrary<string>): fc.Arbitrary<Condition> =>
  fc.tuple(name, test, no).map(([field, test, not]) => ({ kind: 'condition', field, ...test, ...not }));
const group = (item: fc.Arbitrary<Item>, least: number): fc.Arbitrary<Group> =>
  fc.record({
    kind: fc.constant('group' as const),
    mode: fc.constantFrom<Mode>('all', 'any', 'none'),
    items: fc.array(item, { minLength: least, maxLength: 4 }),
  });

/** Conditions on an element itself: each operator once. */
const elementTests = fc
  .uniqueArray(condition(fc.constant('')), {
    minLength: 1,
    maxLength: 3,
    selector: item =>
      JSON.stringify(
        Object.keys((toFilter({ kind: 'group', mode: 'all', items: [item] }) as JsonObject)['']!)[0],
      ),
  })
  .map((items): Group => ({ kind: 'group', mode: 'all', items }));

const item: fc.Memo<Item> = fc.memo(depth => {
  const leaves: fc.Arbitrary<Item>[] = [
    condition(field),
    condition(fc.constantFrom('year', 'title')),
    unknown.map(filter => ({ kind: 'raw', filter })),
  ];
  if (depth <= 1) return fc.oneof(...leaves);
  const elements: fc.Arbitrary<Elements> = fc
    .tuple(
      field,
      fc.oneof(
        elementTests.map(group => ({ of: 'values' as const, group })),
        group(condition(field), 1).map(group => ({ of: 'objects' as const, group })),
      ),
      no,
    )
    .map(([field, inner, not]) => ({ kind: 'elements', field, ...inner, ...not }));
  return fc.oneof(
    ...leaves,
    text.map((text): Item => ({ kind: 'search', text })),
    group(item(depth - 1), 1),
    elements,
  );
});
const model = fc.oneof(group(item(3), 1), fc.constant<Group>({ kind: 'group', mode: 'all', items: [] }));

describe('the builder and the filter language', () => {
  it('reads back the same model from every filter that the builder writes', () => {
    fc.assert(
      fc.property(model, written => {
        expect(fromFilter(JSON.parse(JSON.stringify(toFilter(written))))).toStrictEqual(
          JSON.parse(JSON.stringify(written)),
        );
      }),
      { numRuns: 400 * TIMES },
    );
  });

  it('writes back every filter unchanged, also one that it has no form for', () => {
    const names = fc.oneof(
      field,
      fc.constantFrom(
        '$and',
        '$or',
        '$nor',
        '$not',
        '$eq',
        '$gt',
        '$in',
        '$regex',
        '$options',
        '$elemMatch',
        '$search',
        '$all',
      ),
    );
    const { any } = fc.letrec<{ any: unknown }>(tie => ({
      any: fc.oneof(
        { maxDepth: 5, withCrossShrink: true },
        scalar,
        fc.dictionary(names, tie('any'), { maxKeys: 3 }),
        fc.array(fc.dictionary(names, tie('any'), { maxKeys: 2 }), { maxLength: 3 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(names, any, { maxKeys: 4 }), filter => {
        const json = JSON.parse(JSON.stringify(filter));
        expect(toFilter(fromFilter(json))).toEqual(json);
      }),
      { numRuns: 1_000 * TIMES },
    );
  });
});

/** Filters of docs/filters.md and what people write by hand: the builder shows them in its own forms. */
it.each<[JsonObject, number]>([
  [{ year: 1815 }, 1],
  [{ year: { $eq: 1815 } }, 1],
  [{ year: { $gt: 1815, $lte: 1922 }, lent: false }, 3],
  [{ $and: [{ tags: 'novel' }, { tags: 'dublin' }] }, 2],
  [{ $and: [{ a: 1 }, { b: 2 }] }, 2],
  [{ a: 1, $and: [{ b: 2 }, { c: 3 }] }, 2],
  [{ $or: [{ year: 1815 }, { lent: true, tags: 'x' }] }, 2],
  [{ $nor: [{ year: 1815 }] }, 1],
  [{ title: { $regex: 'm.*m', $options: 'i' } }, 1],
  [{ title: { $options: 'i', $regex: 'm' } }, 1],
  [{ title: { $not: { $regex: 'es$' } } }, 1],
  [{ $search: 'ss', year: 1 }, 2],
  [{ ratings: { $elemMatch: { $gt: 3, $lt: 5 } } }, 1],
  [{ loans: { $elemMatch: { by: 'ada', days: { $gt: 20 } } } }, 1],
  [{ 'loans.1.by': { $exists: true } }, 1],
  [{ details: { city: 'Paris' } }, 1],
  [{ $and: [{ $and: [{ a: 1 }] }] }, 1],
])('shows %j without JSON', (filter, items) => {
  const model = fromFilter(filter);
  expect(showsAll(model)).toBe(true);
  expect(model.items).toHaveLength(items);
});

it('shows only the part as JSON for which it has no form', () => {
  const model = fromFilter({ year: 1815, place: { $near: 5 }, $or: [{ a: 1 }, { b: { $jsonSchema: {} } }] });
  expect(model.items.map(({ kind }) => kind)).toEqual(['condition', 'raw', 'group']);
  expect((model.items[2] as Group).items.map(({ kind }) => kind)).toEqual(['condition', 'raw']);
});
