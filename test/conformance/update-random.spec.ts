import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/kernel/json.js';
import { identifier, render, sql } from '../../src/base/sql/index.js';
import { applyUpdate, isSame, parseUpdate, pulledElements } from '../../src/engine/filter/update/index.js';
import { testDatabaseUrl } from '../harness/database.js';
import { TIMES } from '../harness/dice.js';
import { anyFilter, anyValue } from './arbitrary.js';
import { answers } from './model.js';
import { type Placement, placeFlexible, placeInJson } from './placements.js';
import { anyRecord, OPERANDS, updates } from './update-arbitrary.js';
import { attempt, mingo } from './update-oracle.js';

/** The fixed seed makes every run the same. `npm run test:long` searches longer. */
const SEED = 20_261_121;
const RUNS = 300 * TIMES;
const now = new Date('2026-01-31T09:30:00.250Z');

describe('random updates of random documents', () => {
  it.each([
    ...Object.keys(OPERANDS).map((name): [string, string[]] => [name, [name]]),
    ['all operators together', Object.keys(OPERANDS)],
  ])('by %s give the same result as mingo and leave the given document unchanged', (_, operators) => {
    let compared = 0;
    const property = fc.property(anyRecord, updates(operators), (madeDocument, madeUpdate) => {
      // fast-check creates objects without a prototype.
      const [document, update] = [structuredClone(madeDocument), structuredClone(madeUpdate)];
      const given = structuredClone(document);
      const after = attempt(document, update);
      expect(document).toEqual(given);
      const expected = after && mingo(document, update);
      if (expected === undefined) return;
      compared++;
      expect(after).toEqual(expected);
    });
    fc.assert(property, { seed: SEED, numRuns: RUNS });
    expect(compared).toBeGreaterThan(RUNS / 10);
  });

  it('change nothing the second time if they set a field to a value', () => {
    const property = fc.property(anyRecord, updates(LASTING), (document, update) => {
      const once = attempt(document, update);
      if (once !== undefined) expect(isSame(attempt(once, update), once)).toBe(true);
    });
    fc.assert(property, { seed: SEED, numRuns: RUNS });
  });
});

/** Operators that find their result in place the second time. */
const LASTING = ['$set', '$unset', '$min', '$max', '$addToSet', '$pullAll', '$pull'];

describe('$pull by random filters', () => {
  let client: pg.Client;
  beforeAll(async () => {
    client = new pg.Client({ connectionString: await testDatabaseUrl() });
    await client.connect();
  });
  afterAll(() => client.end());

  /** The arrays of the documents after `{$pull: {<path>: condition}}`. */
  async function pulled(
    { table, shape, prefix }: Placement,
    documents: readonly JsonObject[],
    condition: JsonObject,
  ) {
    const update = parseUpdate({ $pull: { [`${prefix}list`]: condition } });
    const found = pulledElements(update, shape);
    const { rows } = await client.query(
      render(sql`SELECT ${found} AS pulled FROM ${identifier(table)} t ORDER BY n`),
    );
    const plain = parseUpdate({ $pull: { list: condition } });
    return documents.map((document, n) => applyUpdate(document, plain, { now, pulled: rows[n].pulled }).list);
  }

  /**
   * The element according to the model: by the fields of an object, or by operators on the element itself, as on
   * the value of a field (manual, `$pull`).
   */
  function remaining(list: JsonValue[], condition: JsonObject): JsonValue[] {
    const [first] = Object.keys(condition);
    const ofValue = first?.startsWith('$') && !['$and', '$or', '$nor'].includes(first);
    return list.filter(item => {
      if (ofValue) return !answers({ v: condition }, { v: item });
      return Array.isArray(item) || typeof item !== 'object' || item === null || !answers(condition, item);
    });
  }

  it('removes the elements that a query would find, wherever the array is stored', async () => {
    const lists = fc.sample(fc.array(anyValue, { maxLength: 6 }), { seed: SEED, numRuns: 150 });
    const documents = structuredClone(lists).map((list): JsonObject => ({ list }));
    const placements = [
      await placeFlexible(client, 'pull_flexible', documents),
      await placeInJson(client, 'pull_json', documents),
    ];
    const field = anyFilter(fc.constantFrom('a', 'b', 'a.b', 'a.0'));
    const ofValue = anyFilter(fc.constant('v'))
      .filter(isOfValue)
      .map(filter => filter.v as JsonObject);
    const property = fc.asyncProperty(fc.oneof(field, ofValue), async made => {
      const condition = structuredClone(made);
      const expected = documents.map(({ list }) => remaining(list as JsonValue[], condition));
      for (const placement of placements)
        expect(await pulled(placement, documents, condition)).toEqual(expected);
    });
    await fc.assert(property, { seed: SEED, numRuns: 300 });
  });
});

function isOfValue({ v }: JsonObject): boolean {
  return typeof v === 'object' && v !== null && Object.keys(v)[0]?.startsWith('$') === true;
}
