import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Secrets } from '../config/secrets.js';
import { JobWalks } from '../database/job-walks.js';
import { execute } from '../database/queryable.js';
import { Statements } from '../database/statements.js';
import type { PlatformRequest } from '../http/platform-request.js';
import { Replay, type Retry } from '../kernel/call.js';
import { PlatformError } from '../kernel/errors.js';
import { sqlState } from '../kernel/sql-state.js';
import { literal, param, render, sql } from '../sql/index.js';
import { keptAnswers, sealedFor } from './kept-answer.js';

/** Lifetime of a stored response. The same value is in `claim_idempotency_key`. */
const KEPT = sql`interval '24 hours'`;
/** Responses that one statement removes. */
const BATCH = 5_000;
/**
 * SQLSTATEs of `claim_idempotency_key`: a response is stored for the key, or a request with the key is still running.
 */
const CLAIM_REFUSED = ['IK001', 'IK002'];
/** SQLSTATEs: the organization's schema has been dropped. */
const GONE = ['3F000', '42P01'];

/** Stored responses of requests with an Idempotency-Key. */
@Injectable()
export class KeptAnswers {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly statements: Statements,
    private readonly secrets: Secrets,
    private readonly walks: JobWalks,
  ) {}

  /** Throws `Replay` when an equal request has succeeded; throws 422 when the key was used for a different request. */
  async refuseRepeated(retry: Retry, request: PlatformRequest): Promise<void> {
    const row = await this.find(retry);
    if (row === undefined) return;
    const [digest, status, answer, sealed] = row as [Buffer, number, string, boolean];
    if (!digest.equals(await digestOf(retry, request))) {
      throw new PlatformError(
        'IdempotencyKeyReused',
        'This Idempotency-Key was sent with another request. Use a new key for each request that is no retry.',
      );
    }
    throw new Replay(status, sealed ? this.secrets.decrypt(answer, sealedFor(retry)) : answer);
  }

  /**
   * The error or `Replay` to send for a failed request. It is a `Replay` when an equal request succeeded meanwhile. The
   * failure stays as it is when the body was not read to its end, because the request cannot be compared then, and when
   * the caller has lost its rights.
   */
  async reconsider(retry: Retry, failure: unknown, request: PlatformRequest): Promise<unknown> {
    if (retry.digest.value === undefined || request.rights?.areWithdrawn) return failure;
    try {
      await this.refuseRepeated(retry, request);
    } catch (answer) {
      if (answer instanceof Replay || answer instanceof PlatformError) return answer;
      return failure;
    }
    if (!CLAIM_REFUSED.includes(sqlState(failure) ?? '')) return failure;
    return new PlatformError(
      'Conflict',
      'A request with this Idempotency-Key is still under way. Send it again in a few seconds.',
    );
  }

  /** Removes expired responses of all organizations; ends early when `signal` is aborted. */
  async removeOld(signal: AbortSignal): Promise<{ removed: number }> {
    let removed = 0;
    const orgs: { id: string }[] = await this.source.query('SELECT id FROM orgs');
    await this.walks.each('remove-kept-answers', orgs, signal, async ({ id }) => {
      while (!signal.aborted) {
        const batch = await this.removeBatch(id);
        removed += batch;
        if (batch < BATCH) break;
      }
    });
    return { removed };
  }

  private async find({ orgId, caller, key }: Retry): Promise<unknown[] | undefined> {
    const { text, values } = render(sql`SELECT request, status, answer, sealed FROM ${keptAnswers(orgId)}
      WHERE caller = ${param(caller, 'text')} AND key = ${param(key, 'text')}
        AND created_at > statement_timestamp() - ${KEPT}`);
    const [row] = await this.statements.run(text, values).catch(unlessGone);
    return row;
  }

  private async removeBatch(orgId: string): Promise<number> {
    const table = keptAnswers(orgId);
    const old = sql`SELECT ctid FROM ${table} WHERE created_at <= statement_timestamp() - ${KEPT} LIMIT ${literal(BATCH)}`;
    const deleted = execute(this.source, sql`DELETE FROM ${table} WHERE ctid IN (${old})`);
    const [, count = 0] = await deleted.catch(unlessGone);
    return count;
  }
}

/** An organization that was deleted has no stored responses. */
function unlessGone(error: unknown): never[] {
  if (GONE.includes(sqlState(error) ?? '')) return [];
  throw error;
}

/** The digest of a request. Reads the body first if it has not been read, because the digest includes it. */
async function digestOf({ digest }: Retry, request: PlatformRequest): Promise<Buffer> {
  if (digest.value === undefined) for await (const _ of digest.through(request));
  return digest.value as Buffer;
}
