import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type pg from 'pg';
import type { JsonObject } from '../../src/base/kernel/json.js';
import { identifier, render, sql } from '../../src/base/sql/index.js';
import { isSame, parseUpdate, pulledElements } from '../../src/engine/filter/update/index.js';
import { placeFlexible } from './placements.js';
import { anyRecord, OPERANDS, updates } from './update-arbitrary.js';
import { attempt, mingo } from './update-oracle.js';
import { UPDATE_TABLES } from './update-tables.js';

const SEED = 20_261_121;
const UPDATES = 3_000;

/** Results of one update operator. A case is one update of one record. */
export interface UpdateTally {
  cases: number;
  /** Refused here and by MongoDB. mingo refuses nothing. */
  refused: number;
  /** Cases in which mingo is known to differ from the manual. */
  beyond: number;
  passed: number;
  readonly failures: string[];
}

/** Compares random updates of random records with mingo. */
export function measureUpdates(): Map<string, UpdateTally> {
  const operators = Object.keys(OPERANDS);
  const sets = [
    ...operators.map((name): [string, string[]] => [name, [name]]),
    ['combined', operators] as const,
  ];
  return new Map(
    sets.map(([name, some]) => {
      const tally = newTally();
      for (const [record, update] of fc.sample(fc.tuple(anyRecord, updates(some)), {
        seed: SEED,
        numRuns: UPDATES,
      }))
        compare(tally, structuredClone(record), structuredClone(update));
      return [name, tally];
    }),
  );
}

function newTally(): UpdateTally {
  return { cases: 0, refused: 0, beyond: 0, passed: 0, failures: [] };
}

function compare(tally: UpdateTally, record: JsonObject, update: JsonObject): void {
  const after = attempt(record, update);
  const expected = after && mingo(record, update);
  if (after === undefined) tally.refused++;
  else if (expected === undefined) tally.beyond++;
  else
    count(
      tally,
      isDeepStrictEqual(after, expected),
      `${JSON.stringify(update)} of ${JSON.stringify(record)}`,
    );
}

function count(tally: UpdateTally, passed: boolean, what: string): void {
  tally.cases++;
  if (passed) tally.passed++;
  else if (tally.failures.length < 3) tally.failures.push(what);
}

/** The rows taken from the manual. For `$pull`, PostgreSQL answers which elements match. */
export async function measureUpdateTables(client: pg.Client): Promise<Map<string, UpdateTally>> {
  const tallies = new Map<string, UpdateTally>();
  let tables = 0;
  for (const [operator, rows] of Object.entries(UPDATE_TABLES)) {
    const tally = newTally();
    tallies.set(operator, tally);
    for (const [before, operand, after] of rows) {
      const update = { [operator]: operand };
      const pulled =
        operator === '$pull' ? await pulledFrom(client, `pulled_${++tables}`, before, update) : [];
      const result = attempt(before, update, { pulled }) ?? 'refused';
      count(tally, isSame(result, after), `${JSON.stringify(update)} of ${JSON.stringify(before)}`);
    }
  }
  return tallies;
}

async function pulledFrom(client: pg.Client, table: string, record: JsonObject, update: JsonObject) {
  const { shape } = await placeFlexible(client, table, [record]);
  const pulled = pulledElements(parseUpdate(update), shape);
  const { rows } = await client.query(render(sql`SELECT ${pulled} AS pulled FROM ${identifier(table)} t`));
  return rows[0].pulled ?? [];
}
