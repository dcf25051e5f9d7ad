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

/** How long an answer is kept; `claim_idempotency_key` says the same. */
const KEPT = sql`interval '24 hours'`;
/** Answers removed by one statement. */
const BATCH = 5_000;
/** SQLSTATEs of `claim_idempotency_key`: the key has an answer; a request with it is still under way. */
const CLAIM_REFUSED = ['IK001', 'IK002'];
/** The organization's schema is gone. */
const GONE = ['3F000', '42P01'];

/** The answers of requests with a key. */
@Injectable()
export class KeptAnswers {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly statements: Statements,
    private readonly secrets: Secrets,
    private readonly walks: JobWalks,
  ) {}

  /** Throws the `Replay` of an equal request that has succeeded; 422 when the key was used for another one. */
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
   * What the failure of a request means: nothing when an equal one has succeeded while it ran. One that failed before its
   * body was read to the end cannot be told from others, and who may no longer write learns nothing.
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

  /** Removes what is kept no longer, of all organizations; ends early when `signal` is aborted. */
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

/** Nothing is kept where there is no organization any more. */
function unlessGone(error: unknown): never[] {
  if (GONE.includes(sqlState(error) ?? '')) return [];
  throw error;
}

/** Of a body that nobody has begun to read, after reading it: only so can it be told from another. */
async function digestOf({ digest }: Retry, request: PlatformRequest): Promise<Buffer> {
  if (digest.value === undefined) for await (const _ of digest.through(request));
  return digest.value as Buffer;
}
