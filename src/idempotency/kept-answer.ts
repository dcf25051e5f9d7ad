import { orgTable } from '../database/org-schema.js';
import { execute, type Queryable } from '../database/queryable.js';
import type { Call, Retry } from '../kernel/call.js';
import { JsonText } from '../kernel/json.js';
import { joined, param, type Sql, sql } from '../sql/index.js';

/** How an answer is kept. */
interface Kept {
  /** Unless it is the route's own. */
  readonly status?: number;
  /** It shows a secret: kept encrypted. */
  readonly secret?: boolean;
}

/** The table of an organization's kept answers. */
export function keptAnswers(orgId: string): Sql {
  return orgTable(orgId, 'idempotency_keys');
}

/** What a sealed answer is bound to. */
export function sealedFor({ orgId, caller, key }: Pick<Retry, 'orgId' | 'caller' | 'key'>): string {
  return `answer ${orgId} ${caller} ${key}`;
}

/**
 * Does the work of a write in its transaction. When the client may send the request again, the key is claimed first, and
 * what the work comes to is kept as the answer: with the write, or not at all.
 */
export async function answerOnce<T extends object>(
  transaction: Queryable,
  call: Call,
  work: () => Promise<T>,
  kept?: Kept,
): Promise<T> {
  if (call.retry === undefined) return work();
  await claimKey(transaction, call);
  const answer = await work();
  await keepAnswer(transaction, call, answer, kept);
  return answer;
}

/** Waits for equal requests under way; fails with `IK001` when one has succeeded, with `IK002` when that takes long. */
export async function claimKey(transaction: Queryable, { retry }: Call): Promise<void> {
  if (retry === undefined) return;
  await execute(transaction, sql`SELECT ${claimSql(retry)}`);
}

/** Keeps the answer of a claimed key in the transaction of its write. */
export async function keepAnswer(
  transaction: Queryable,
  { retry }: Call,
  answer: object,
  { status, secret = false }: Kept = {},
): Promise<void> {
  if (retry === undefined) return;
  const text = answer instanceof JsonText ? answer.text : JSON.stringify(answer);
  const kept = { ...retry, status: status ?? retry.status };
  const answerText = param(secret ? retry.seal(text) : text, 'text');
  await execute(transaction, keepSql(kept, answerText, sql`true`, secret));
}

/** SQL that is true for the one who may write under the key, and fails as `claimKey` does for others. */
export function claimSql({ orgId, caller, key }: Retry): Sql {
  return sql`${orgTable(orgId, 'claim_idempotency_key')}(${param(caller, 'text')}, ${param(key, 'text')})`;
}

/** A statement, or a CTE, that keeps an answer where `condition` is true. `answer` is SQL of its JSON text. */
export function keepSql(retry: Retry, answer: Sql, condition: Sql, sealed = false): Sql {
  const { caller, key, digest, status } = retry;
  const values = [
    param(caller, 'text'),
    param(key, 'text'),
    param(digest.value, 'bytea'),
    param(status, 'smallint'),
    answer,
    param(sealed, 'boolean'),
  ];
  return sql`INSERT INTO ${keptAnswers(retry.orgId)} (caller, key, request, status, answer, sealed)
    SELECT ${joined(values)} WHERE ${condition}`;
}
