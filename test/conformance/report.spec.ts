import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabaseUrl } from '../harness/database.js';
import { DEVIATIONS } from './deviations.js';
import { measureDeviations, measureRandom, measureTables, type Tally } from './measure.js';
import { measureUpdates, measureUpdateTables } from './measure-updates.js';
import { page, percent } from './page.js';

type Rate = Pick<Tally, 'cases' | 'passed' | 'failures'>;

/** Share of all cases that are not listed deviations. */
const GOAL = 0.99;

let client: pg.Client;

beforeAll(async () => {
  client = new pg.Client({ connectionString: await testDatabaseUrl() });
  await client.connect();
});
afterAll(() => client.end());

describe('docs/conformance.md', () => {
  it('holds the rates of this build, with every operator at 99 % or more', { timeout: 300_000 }, async () => {
    const random = await measureRandom(client);
    const tables = await measureTables(client);
    const updates = measureUpdates();
    const updateTables = await measureUpdateTables(client);
    const tallies = [random.operators, tables, updates, updateTables].flatMap(each => [...each]);
    print(tallies);
    await expect(page({ random, tables, updates, updateTables })).toMatchFileSnapshot(
      '../../docs/conformance.md',
    );
    const short = tallies.filter(([, { cases, passed }]) => passed / cases < GOAL);
    expect(short).toEqual([]);
  });

  it('lists every deviation with its actual answer', async () => {
    expect(await measureDeviations(client)).toEqual(DEVIATIONS.map(({ here }) => here));
    for (const { mongodb, here, what } of DEVIATIONS) expect(here, what).not.toBe(mongodb);
  });
});

function print(tallies: readonly (readonly [string, Rate])[]): void {
  const lines = tallies.map(([operator, tally]) => {
    const rate = `${operator.padEnd(16)}${String(tally.passed).padStart(8)} of ${String(tally.cases).padStart(8)}`;
    return [`${rate}  ${percent(tally).padStart(9)}`, ...tally.failures.map(failure => `  ${failure}`)].join(
      '\n',
    );
  });
  process.stdout.write(`${lines.join('\n')}\n`);
}
