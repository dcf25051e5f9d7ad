import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inBatches } from '../../base/kernel/bounds/batches.js';
import { CallerGone, deadlineIn } from '../../base/kernel/bounds/deadline.js';
import { type Call, Replay, type RequestDigest, type Retry } from '../../base/kernel/call.js';
import { PlatformError } from '../../base/kernel/errors.js';
import { JsonText } from '../../base/kernel/json.js';
import { isGone, sqlState } from '../../base/kernel/sql-state.js';
import { joined, literal, param, render, type Sql, sql } from '../../base/sql/index.js';
import { Secrets } from '../config/secrets.js';
import { Settings } from '../config/settings.js';
import { JobProbes } from '../database/job-probes.js';
import { JobWalks } from '../database/job-walks.js';
import { orgTable } from '../database/org-schema.js';
import { execute, type Queryable } from '../database/queryable.js';
import { Statements } from '../database/statements.js';
import { TimedBody } from '../http/body/timed-body.js';
import type { PlatformRequest } from '../http/platform-request.js';

/** How a response is stored. */
interface ResponseOptions {
  /** Status, unless it is that of the route. */
  readonly status?: number;
  /** True for a response that contains a secret: it is stored encrypted. */
  readonly secret?: boolean;
}

/** The table of an organization's stored responses. */
export function responsesTable(orgId: string): Sql {
  return orgTable(orgId, 'idempotency_keys');
}

/** The context that an encrypted response is bound to. */
export function encryptionContext({ orgId, caller, key }: Pick<Retry, 'orgId' | 'caller' | 'key'>): string {
  return `answer ${orgId} ${caller} ${key}`;
}

/**
 * Does the work of a write in its transaction. With an Idempotency-Key, it claims the key first and stores the result
 * as the response. The write and the stored response are committed together or not at all.
 */
export async function idempotently<T extends object>(
  transaction: Queryable,
  call: Call,
  work: () => Promise<T>,
  options?: ResponseOptions,
): Promise<T> {
  if (call.retry === undefined) return work();
  await claimKey(transaction, call);
  const answer = await work();
  await storeResponse(transaction, call, answer, options);
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
export async function storeResponse(
  transaction: Queryable,
  { retry }: Call,
  answer: object,
  { status, secret = false }: ResponseOptions = {},
): Promise<void> {
  if (retry === undefined) return;
  const text = answer instanceof JsonText ? answer.text : JSON.stringify(answer);
  const stored = { ...retry, status: status ?? retry.status };
  const answerText = param(secret ? retry.encrypt(text) : text, 'text');
  await execute(transaction, storeSql(stored, answerText, sql`true`, secret));
}

/** SQL that is true for the one caller that may write with the key, and fails for others as `claimKey` does. */
export function claimSql({ orgId, caller, key }: Retry): Sql {
  return sql`${orgTable(orgId, 'claim_idempotency_key')}(${param(caller, 'text')}, ${param(key, 'text')})`;
}

/** The columns of `responsesTable`. */
export const RESPONSE_COLUMNS = sql`caller, key, request, status, answer, sealed, created_at`;

/**
 * A statement, or a CTE, that stores a response if `condition` is true. `answer` is SQL of its JSON text. The response is
 * as old as this statement, not as its transaction, which for an import begins before its file arrives.
 */
export function storeSql(retry: Retry, answer: Sql, condition: Sql, sealed = false): Sql {
  const { caller, key, digest, status } = retry;
  const values = [
    param(caller, 'text'),
    param(key, 'text'),
    param(digest.value, 'bytea'),
    param(status, 'smallint'),
    answer,
    param(sealed, 'boolean'),
    sql`statement_timestamp()`,
  ];
  return sql`INSERT INTO ${responsesTable(retry.orgId)} (${RESPONSE_COLUMNS})
    SELECT ${joined(values)} WHERE ${condition}`;
}

/** Lifetime of a stored response. The same value is in `claim_idempotency_key`. */
const LIFETIME = sql`interval '24 hours'`;
const IS_EXPIRED = sql`created_at <= statement_timestamp() - ${LIFETIME}`;
/** Responses that one statement removes. */
const BATCH = 5_000;
/**
 * SQLSTATEs of `claim_idempotency_key`: a response is stored for the key, or a request with the key is still running.
 */
const CLAIM_REFUSED = ['IK001', 'IK002'];
/** Stored responses of requests with an Idempotency-Key. */
@Injectable()
export class StoredResponses {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly statements: Statements,
    private readonly secrets: Secrets,
    private readonly probes: JobProbes,
    private readonly walks: JobWalks,
    private readonly settings: Settings,
  ) {}

  /**
   * Throws `Replay` when an equal request has succeeded; throws 422 when the key was used for a different request. The
   * digest includes the body, so a body that has not been read is read first, within the limits of an import. The rights
   * are decided again afterwards: 401, 403 or 404 when they were withdrawn.
   */
  async refuseRepeated(retry: Retry, request: PlatformRequest): Promise<void> {
    const row = await this.find(retry);
    if (row === undefined) return;
    const [digest, status, answer, sealed] = row as [Buffer, number, string, boolean];
    if (retry.digest.value === undefined) await this.readBody(retry.digest, request);
    await request.rights?.renewIfOld();
    if (!(await retry.digest.isOf(digest))) {
      throw new PlatformError(
        'IdempotencyKeyReused',
        'This Idempotency-Key was used for another request. Use a new key for each request that is not a retry.',
      );
    }
    throw new Replay(status, sealed ? this.secrets.decrypt(answer, encryptionContext(retry)) : answer);
  }

  /**
   * The error or `Replay` to send for a failed request. It is a `Replay` when an equal request succeeded meanwhile. The
   * failure stays as it is when the body was not read to its end, because the request cannot be compared then, and when
   * the caller has lost its rights.
   */
  async reconsider(retry: Retry, failure: unknown, request: PlatformRequest): Promise<unknown> {
    if (retry.digest.value === undefined || request.rights?.areWithdrawn) return failure;
    const isClaimRefused = CLAIM_REFUSED.includes(sqlState(failure) ?? '');
    try {
      await this.refuseRepeated(retry, request);
    } catch (answer) {
      return isClaimRefused || answer instanceof Replay || answer instanceof PlatformError ? answer : failure;
    }
    if (!isClaimRefused) return failure;
    return new PlatformError(
      'Conflict',
      'A request with this Idempotency-Key is still running. Retry in a few seconds.',
    );
  }

  /** Removes expired responses of all organizations; ends early when `signal` is aborted. */
  async removeOld(signal: AbortSignal): Promise<{ removed: number }> {
    let removed = 0;
    const orgs = await this.probes.orgs(
      signal,
      id => sql`EXISTS (SELECT FROM ${responsesTable(id)} WHERE ${IS_EXPIRED})`,
    );
    await this.walks.each('remove-stored-responses', orgs, signal, async ({ id }) => {
      removed += await inBatches(BATCH, signal, () => this.removeBatch(id));
    });
    return { removed };
  }

  private async readBody(digest: RequestDigest, request: PlatformRequest): Promise<void> {
    const body = new TimedBody(
      request,
      this.settings,
      deadlineIn(this.settings.TRANSFER_MAX_SECONDS * 1_000),
    );
    try {
      for await (const _ of digest.through(body.bytes())) await request.rights?.renewIfOld();
    } catch (error) {
      throw request.destroyed && !request.complete ? new CallerGone() : error;
    } finally {
      body.end();
    }
  }

  private async find({ orgId, caller, key }: Retry): Promise<unknown[] | undefined> {
    const { text, values } = render(sql`SELECT request, status, answer, sealed FROM ${responsesTable(orgId)}
      WHERE caller = ${param(caller, 'text')} AND key = ${param(key, 'text')}
        AND created_at > statement_timestamp() - ${LIFETIME}`);
    const [row] = await this.statements.run(text, values).catch(unlessGone);
    return row;
  }

  private async removeBatch(orgId: string): Promise<number> {
    const table = responsesTable(orgId);
    const old = sql`SELECT ctid FROM ${table} WHERE ${IS_EXPIRED} LIMIT ${literal(BATCH)}`;
    const deleted = execute(this.source, sql`DELETE FROM ${table} WHERE ctid IN (${old})`);
    const [, count = 0] = await deleted.catch(unlessGone);
    return count;
  }
}

/** An organization that was deleted has no stored responses. */
function unlessGone(error: unknown): never[] {
  if (isGone(error)) return [];
  throw error;
}
