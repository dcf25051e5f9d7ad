import { orgSchema } from '../database/org-schema.js';
import type { Queryable } from '../database/queryable.js';
import type { Call, Retry } from '../kernel/call.js';
import { JsonText } from '../kernel/json.js';

/** Puts a value among the parameters of a statement and returns its placeholder. */
type Add = (value: unknown, castType: string) => string;

/** How an answer is kept. */
interface Kept {
  /** Unless it is the route's own. */
  readonly status?: number;
  /** It shows a secret: kept encrypted. */
  readonly secret?: boolean;
}

/** The table of an organization's kept answers. */
export function keptAnswers(orgId: string): string {
  return `${orgSchema(orgId)}.idempotency_keys`;
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
  const values: unknown[] = [];
  await transaction.query(`SELECT ${claimSql(retry, adding(values))}`, values);
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
  const values: unknown[] = [];
  const add = adding(values);
  const kept = { ...retry, status: status ?? retry.status };
  await transaction.query(
    keepSql(kept, add(secret ? retry.seal(text) : text, 'text'), 'true', add, secret),
    values,
  );
}

/** SQL that is true for the one who may write under the key, and fails as `claimKey` does for others. */
export function claimSql({ orgId, caller, key }: Retry, add: Add): string {
  return `${orgSchema(orgId)}.claim_idempotency_key(${add(caller, 'text')}, ${add(key, 'text')})`;
}

/** A statement, or a CTE, that keeps an answer where `condition` is true. `answer` is SQL of its JSON text. */
export function keepSql(retry: Retry, answer: string, condition: string, add: Add, sealed = false): string {
  const { caller, key, digest, status } = retry;
  const values = [
    add(caller, 'text'),
    add(key, 'text'),
    add(digest.value, 'bytea'),
    add(status, 'smallint'),
    answer,
    add(sealed, 'boolean'),
  ];
  return `INSERT INTO ${keptAnswers(retry.orgId)} (caller, key, request, status, answer, sealed)
    SELECT ${values.join(', ')} WHERE ${condition}`;
}

function adding(values: unknown[]): Add {
  return (value, castType) => `$${values.push(value)}::${castType}`;
}
