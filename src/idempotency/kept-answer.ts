import { orgTable } from '../database/org-schema.js';
import { execute, type Queryable } from '../database/queryable.js';
import type { Call, Retry } from '../kernel/call.js';
import { JsonText } from '../kernel/json.js';
import { joined, param, type Sql, sql } from '../sql/index.js';

/** How a response is stored. */
interface Kept {
  /** Status, unless it is that of the route. */
  readonly status?: number;
  /** True for a response that contains a secret: it is stored encrypted. */
  readonly secret?: boolean;
}

/** The table of an organization's stored responses. */
export function keptAnswers(orgId: string): Sql {
  return orgTable(orgId, 'idempotency_keys');
}

/** The context that an encrypted response is bound to. */
export function sealedFor({ orgId, caller, key }: Pick<Retry, 'orgId' | 'caller' | 'key'>): string {
  return `answer ${orgId} ${caller} ${key}`;
}

/**
 * Does the work of a write in its transaction. With an Idempotency-Key, it claims the key first and stores the result
 * as the response. The write and the stored response are committed together or not at all.
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

/**
 * Waits for running requests with the same key. Fails with `IK001` when one has succeeded, with `IK002` after a long
 * wait.
 */
export async function claimKey(transaction: Queryable, { retry }: Call): Promise<void> {
  if (retry === undefined) return;
  await execute(transaction, sql`SELECT ${claimSql(retry)}`);
}

/** Stores the response for a claimed key in the transaction of its write. */
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

/** SQL that is true for the one caller that may write with the key, and fails for others as `claimKey` does. */
export function claimSql({ orgId, caller, key }: Retry): Sql {
  return sql`${orgTable(orgId, 'claim_idempotency_key')}(${param(caller, 'text')}, ${param(key, 'text')})`;
}

/** A statement, or a CTE, that stores a response if `condition` is true. `answer` is SQL of its JSON text. */
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
