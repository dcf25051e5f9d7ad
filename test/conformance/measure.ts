import fc from 'fast-check';
import type pg from 'pg';
import { PlatformError } from '../../src/base/kernel/errors.js';
import type { JsonObject } from '../../src/base/kernel/json.js';
import { COLUMN_TYPES } from '../../src/engine/columns/index.js';
import { anyDocument } from './arbitrary.js';
import { type Answer, DEVIATIONS } from './deviations.js';
import { COLUMNS, FLEXIBLE_PATHS, filtersByOperator, TYPED_PATHS, typedDocument } from './operators.js';
import { matching, type Placement, placeFlexible, placeInJson, placeTyped } from './placements.js';
import { TABLES } from './tables.js';
import { type Dispute, type Verdict, verdict, verdicts } from './verdict.js';

/** A fixed seed, so that the page is the same in every run. */
const SEED = 20_261_121;
const FILTERS = 40;
const DOCUMENTS = 120;

/**
 * Results of one operator. A case is one filter on some documents in one placement. It passes when it finds the
 * right documents.
 */
export interface Tally {
  cases: number;
  passed: number;
  /** One answer per document of each case. */
  answers: number;
  /** Answers that must be yes. */
  matches: number;
  /** Answers for which mingo or sift agrees with the manual. */
  mingo: number;
  sift: number;
  /** The first few wrong answers. */
  readonly failures: string[];
}

export interface Measured {
  readonly operators: Map<string, Tally>;
  /** Number of disputed answers of each kind, by the library that the manual contradicts. */
  readonly disputes: Map<string, { mingo: number; sift: number; both: number }>;
}

/** Random filters over random documents, in every place that can hold a value. */
export async function measureRandom(client: pg.Client): Promise<Measured> {
  const measured: Measured = { operators: new Map(), disputes: new Map() };
  const loose = sampled(anyDocument, DOCUMENTS);
  const looseIn = [
    await placeFlexible(client, 'report_flexible', loose),
    await placeInJson(client, 'report_json', loose),
  ];
  await measureIn(client, measured, { paths: FLEXIBLE_PATHS, documents: loose, placements: looseIn });
  const typed = sampled(typedDocument, DOCUMENTS);
  const typedIn = [
    await placeTyped(client, 'report_typed', COLUMNS, typed),
    await placeFlexible(client, 'report_untyped', typed),
  ];
  await measureIn(client, measured, { paths: TYPED_PATHS, documents: typed, placements: typedIn });
  return measured;
}

/** fast-check creates objects without a prototype, which sift does not treat as objects. */
function sampled<T>(arbitrary: fc.Arbitrary<T>, numRuns: number): T[] {
  return structuredClone(fc.sample(arbitrary, { seed: SEED, numRuns }));
}

interface Setting {
  readonly paths: readonly string[];
  readonly documents: readonly JsonObject[];
  readonly placements: readonly Placement[];
}

async function measureIn(client: pg.Client, measured: Measured, setting: Setting): Promise<void> {
  const { paths, documents, placements } = setting;
  for (const [operator, filters] of filtersByOperator(paths)) {
    const tally = measured.operators.get(operator) ?? newTally();
    measured.operators.set(operator, tally);
    for (const filter of filters.flatMap(arbitrary => sampled(arbitrary, FILTERS))) {
      const judged = documents.map(verdicts(filter));
      for (const placement of placements) {
        await put(client, tally, { filter, documents, judged, placement });
        for (const { dispute } of judged) if (dispute !== undefined) countDispute(measured, dispute);
      }
    }
  }
}

function newTally(): Tally {
  return { cases: 0, passed: 0, answers: 0, matches: 0, mingo: 0, sift: 0, failures: [] };
}

interface Case {
  readonly filter: JsonObject;
  readonly documents: readonly JsonObject[];
  readonly judged: readonly Verdict[];
  readonly placement: Placement;
}

async function put(client: pg.Client, tally: Tally, { filter, documents, judged, placement }: Case) {
  const found = new Set(await matching(client, placement, filter));
  const wrong = documents.filter((_, n) => found.has(n) !== judged[n]!.matches);
  tally.cases++;
  if (wrong.length === 0) tally.passed++;
  else if (tally.failures.length < 3)
    tally.failures.push(`${placement.table}: ${JSON.stringify(filter)} on ${JSON.stringify(wrong[0])}`);
  tally.answers += judged.length;
  tally.matches += judged.filter(({ matches }) => matches).length;
  tally.mingo += judged.filter(({ dispute }) => dispute?.mingo !== 'wrong').length;
  tally.sift += judged.filter(({ dispute }) => dispute?.sift !== 'wrong').length;
}

function countDispute({ disputes }: Measured, { kind, mingo, sift }: Dispute): void {
  const counts = disputes.get(kind) ?? { mingo: 0, sift: 0, both: 0 };
  disputes.set(kind, counts);
  counts[mingo === sift ? 'both' : mingo === 'wrong' ? 'mingo' : 'sift']++;
}

/** The rows taken from the manual, in flexible fields and in a json column. */
export async function measureTables(client: pg.Client): Promise<Map<string, Tally>> {
  const tallies = new Map<string, Tally>();
  let tables = 0;
  for (const [operator, rows] of Object.entries(TABLES)) {
    const tally = newTally();
    tallies.set(operator, tally);
    for (const [filter, found, notFound] of rows) {
      const documents = [...found, ...notFound];
      const judged = documents.map((document, n) => verdict(filter, document, n < found.length));
      const table = `manual_${++tables}`;
      for (const placement of [
        await placeFlexible(client, `${table}_flexible`, documents),
        await placeInJson(client, `${table}_json`, documents),
      ])
        await put(client, tally, { filter, documents, judged, placement });
    }
  }
  return tallies;
}

/** The service's answer to the case of each listed deviation. */
export async function measureDeviations(client: pg.Client): Promise<Answer[]> {
  const { integer, text, date, datetime } = COLUMN_TYPES;
  const columns = { i: integer, s: text, d: date, t: datetime };
  const answers: Answer[] = [];
  for (const [n, { filter, document, typed }] of DEVIATIONS.entries()) {
    const table = `deviation_${n}`;
    const placement = await (typed
      ? placeTyped(client, table, columns, [document])
      : placeFlexible(client, table, [document]));
    answers.push(await answerTo(client, placement, filter));
  }
  return answers;
}

/** SQLSTATE of a pattern that PostgreSQL cannot parse: the service answers 400. */
const INVALID_REGULAR_EXPRESSION = '2201B';

async function answerTo(client: pg.Client, placement: Placement, filter: JsonObject): Promise<Answer> {
  try {
    return (await matching(client, placement, filter)).length > 0 ? 'found' : 'not found';
  } catch (error) {
    const isRefusal = error instanceof PlatformError && error.status === 400;
    if (isRefusal || (error as { code?: string }).code === INVALID_REGULAR_EXPRESSION) return 'refused';
    throw error;
  }
}
