import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/kernel/json.js';
import { testDatabaseUrl } from '../harness/database.js';
import { TIMES } from '../harness/dice.js';
import { anyDocument, anyFilter, PATHS } from './arbitrary.js';
import { answers } from './model.js';
import { COLUMNS, TYPED_PATHS, typedDocument } from './operators.js';
import { libraries } from './oracle.js';
import { indexed, matching, type Placement, placeFlexible, placeInJson, placeTyped } from './placements.js';

/** The fixed seed makes every run the same. `npm run test:long` searches longer. */
const SEED = 20_261_121;
const RUNS = 140 * TIMES;
const DOCUMENTS = 250;

let client: pg.Client;

beforeAll(async () => {
  client = new pg.Client({ connectionString: await testDatabaseUrl() });
  await client.connect();
});
afterAll(() => client.end());

async function agree(
  placements: readonly Placement[],
  documents: readonly JsonObject[],
  filters: fc.Arbitrary<JsonObject>,
): Promise<void> {
  const property = fc.asyncProperty(filters, async made => {
    // fast-check creates objects without a prototype, which sift does not treat as objects.
    const filter = structuredClone(made);
    const library = libraries(filter);
    const expected = documents.map((document, n) => (answers(filter, document) ? n : -1)).filter(n => n >= 0);
    const matched = new Set(expected);
    const disputed = documents.filter(
      (document, n) => (library(document) ?? matched.has(n)) !== matched.has(n),
    );
    expect(disputed, 'the libraries agree with each other, but not with the model').toEqual([]);
    for (const placement of placements) {
      const answer = await matching(client, placement, filter);
      const wrong = documents.filter((_, n) => answer.includes(n) !== matched.has(n));
      expect(wrong, `${placement.table} differs from the model`).toEqual([]);
    }
  });
  await fc.assert(property, { seed: SEED, numRuns: RUNS });
}

/** The database uses every index that it can, although the tables are small. */
async function withIndexes(work: () => Promise<void>): Promise<void> {
  await client.query('SET enable_seqscan = off');
  try {
    await work();
  } finally {
    await client.query('RESET enable_seqscan');
  }
}

describe('random filters over random documents', () => {
  it('answer as MongoDB does in flexible fields and in a json column', async () => {
    const documents = structuredClone(fc.sample(anyDocument, { seed: SEED, numRuns: DOCUMENTS }));
    const placements = [
      await placeFlexible(client, 'random_flexible', documents),
      await placeInJson(client, 'random_json', documents),
    ];
    await agree(placements, documents, anyFilter());
  });

  it('answer the same with indexes on the paths', async () => {
    const documents = structuredClone(fc.sample(anyDocument, { seed: SEED, numRuns: DOCUMENTS }));
    const placements = [
      await indexed(client, await placeFlexible(client, 'indexed_flexible', documents), PATHS),
      await indexed(client, await placeInJson(client, 'indexed_json', documents), PATHS),
    ];
    await withIndexes(() => agree(placements, documents, anyFilter()));
  });

  it('answer in typed columns as MongoDB does, and as in flexible fields', async () => {
    const documents = structuredClone(fc.sample(typedDocument, { seed: SEED, numRuns: DOCUMENTS }));
    const placements = [
      await placeTyped(client, 'typed_columns', COLUMNS, documents),
      await placeFlexible(client, 'typed_flexible', documents),
    ];
    await agree(placements, documents, anyFilter(fc.constantFrom(...TYPED_PATHS)));
  });
});
