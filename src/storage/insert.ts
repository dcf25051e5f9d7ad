import { COLUMN_TYPES } from '../columns/index.js';
import { type CollectionShape, columnsOf, tableOf } from './collection-shape.js';
import { type Quota, quotaParts } from './quota.js';
import { type Carried, carriedCtes, claimed, FENCE, fencedParameters, type Statement } from './statement.js';

/** Records to insert, already judged and laid out: a JSON array of objects with `_id`, `x` and physical columns. */
export interface RowBatch {
  readonly json: string;
  /** When the records expire; null = never. */
  readonly expiresAt: Date | null;
  /** The statement fails with 55P03 where it waits longer than this for others' records. Always the same number. */
  readonly patienceMs?: number;
}

/** Instants are kept to the millisecond. */
export const NOW = `date_trunc('milliseconds', statement_timestamp())`;

/**
 * The version check of a statement that adds records, and the check of its quota. `claim` comes before that: while it waits,
 * the statement must hold nothing that others wait for. `patienceMs` bounds each wait after the check.
 */
export function quotaFence(holds: string, claim = '', patienceMs?: number): string {
  if (patienceMs === undefined) return `${FENCE}${claim} AND ${holds}`;
  // PostgreSQL evaluates the cheaper of two conditions first, and all wait alike for the lock of the quota.
  const patient = `set_config('lock_timeout', '${patienceMs}', true) IS NOT NULL`;
  return `${FENCE}${claim} AND CASE WHEN ${holds} THEN ${patient} ELSE false END`;
}

/** `AS r(_id uuid, x jsonb, c1 bigint, …)`: how the JSON of a batch becomes rows. */
export function rowSource(shape: CollectionShape, batch: string, more = ''): string {
  const columns = columnsOf(shape).map(
    ([, physical, { type }]) => `, ${physical} ${COLUMN_TYPES[type].castType}`,
  );
  return `jsonb_to_recordset(${batch}) AS r(_id uuid, x jsonb${columns.join('')}${more})`;
}

/**
 * Inserts a batch with its audit event: one statement, all or nothing. One row comes back: how many version checks held
 * (0 = nothing was written: the collection has changed, its lease does not hold, or it is full). Fails with QF001 where
 * others were faster to take the room.
 */
export function insertStatement(
  shape: CollectionShape,
  batch: RowBatch,
  quota: Quota,
  carried: Carried,
): Statement {
  const parameters = fencedParameters(shape);
  const add = parameters.add.bind(parameters);
  const text = insertText(shape, {
    quota: quotaParts(shape, quota, 'written', add),
    claim: claimed(carried, add),
    patienceMs: batch.patienceMs,
    json: add(batch.json, 'jsonb'),
    expiresAt: add(batch.expiresAt, 'timestamptz'),
    carried: carriedCtes(carried, 'written', () => ({ done: 'EXISTS (SELECT FROM fence)' }), add),
  });
  return { text, values: parameters.values };
}

/** Placeholders of an insert, its quota, and what it carries along. */
interface Parts extends Readonly<Record<'claim' | 'json' | 'expiresAt' | 'carried', string>> {
  readonly quota: ReturnType<typeof quotaParts>;
  readonly patienceMs: number | undefined;
}

/** Texts are long and inserts are many: they are kept for each version of a collection, by what is carried along. */
const texts = new WeakMap<CollectionShape, Map<string, string>>();

/** What is carried comes last: where its placeholders are the same, so are those before it. */
function insertText(shape: CollectionShape, parts: Parts): string {
  const kept = texts.get(shape) ?? new Map<string, string>();
  texts.set(shape, kept);
  const key = `${parts.patienceMs} ${parts.quota.taken} ${parts.carried}`;
  const text = kept.get(key) ?? composed(shape, parts);
  kept.set(key, text);
  return text;
}

function composed(shape: CollectionShape, parts: Parts): string {
  const columns = columnsOf(shape).map(([, physical]) => physical);
  const { holds, taken } = parts.quota;
  return `
    WITH fence AS MATERIALIZED (${quotaFence(holds, parts.claim, parts.patienceMs)}),
    written AS (
      INSERT INTO ${tableOf(shape)} (_id, created_at, updated_at, expires_at, x${columns.map(name => `, ${name}`).join('')})
      SELECT r._id, n.at, n.at, ${parts.expiresAt}, coalesce(r.x, '{}')${columns.map(name => `, r.${name}`).join('')}
      FROM fence, (SELECT ${NOW} AS at) n, ${rowSource(shape, parts.json)}
      RETURNING _id),
    ${
      taken === ''
        ? ''
        : `${taken},
    `
    }${parts.carried}
    SELECT count(*)::int${taken === '' ? '' : ', (SELECT count(*) FROM taken)::int'} FROM fence`;
}
