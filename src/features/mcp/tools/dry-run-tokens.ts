import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Call, Retry } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { invalid } from '../../../base/kernel/errors.js';
import type { Principal } from '../../../base/kernel/principal.js';
import { sqlState } from '../../../base/kernel/sql-state.js';
import { Secrets } from '../../../platform/config/secrets.js';
import { retryCaller } from '../../../platform/idempotency/idempotency.step.js';
import { BodyDigest } from '../../../platform/idempotency/request-digest.js';

const LIFETIME_MS = 5 * 60_000;

/** The caller and the write that a token is valid for. */
export interface DryRun {
  readonly principal: Principal;
  readonly orgId: string;
  readonly collectionId: string;
  readonly tool: string;
  /** The arguments that say what to write. */
  readonly asked: object;
}

/** The signed content of a token. */
interface Claims {
  readonly id: string;
  /** The number of records that the dry run found. */
  readonly count: number;
  /** Which records it found, and in which state if the write depends on it. */
  readonly fingerprint: string;
  readonly expiresAt: number;
}

/**
 * Tokens that prove that the caller has just seen which records a tool would write. A token is signed together with
 * the caller, the collection and the arguments, and stored only when it is used: the write marks it as used in its own
 * transaction.
 */
@Injectable()
export class DryRunTokens {
  private readonly key: Buffer;

  constructor(
    secrets: Secrets,
    private readonly clock: Clock,
  ) {
    this.key = secrets.derive('mcp-dry-run');
  }

  issue(dryRun: DryRun, count: number, fingerprint: string): { token: string; expiresAt: Date } {
    const expiresAt = this.clock.now().getTime() + LIFETIME_MS;
    const claims: Claims = { id: randomUUID(), count, fingerprint, expiresAt };
    const body = Buffer.from(JSON.stringify(claims)).toString('base64url');
    return { token: `${body}.${this.sign(body, dryRun)}`, expiresAt: new Date(expiresAt) };
  }

  /** Throws 400 for a token of another caller, collection or arguments, and for one that was altered or has expired. */
  private open(token: string, dryRun: DryRun): Claims {
    const [body = '', signature = ''] = token.split('.');
    const [sent, own] = [Buffer.from(signature), Buffer.from(this.sign(body, dryRun))];
    if (sent.length !== own.length || !timingSafeEqual(sent, own)) {
      throw invalid(
        'dry_run_token: is not a token that you received for this collection and these arguments',
      );
    }
    const claims: Claims = JSON.parse(Buffer.from(body, 'base64url').toString());
    // 1.1.0 and earlier versions issue tokens that do not name the records.
    if (claims.expiresAt <= this.clock.now().getTime() || claims.fingerprint === undefined) {
      throw invalid('dry_run_token: has expired. Call again with dry_run: true.');
    }
    return claims;
  }

  /**
   * Runs the write of a token, which works once. `write` gets the call to write with, and what the dry run found. Throws 400 as `open` does, and for a token that was used already.
   */
  async spend<T>(
    call: Call,
    dryRun: DryRun,
    token: string,
    write: (once: Call, found: Pick<Claims, 'count' | 'fingerprint'>) => Promise<T>,
  ): Promise<T> {
    const claims = this.open(token, dryRun);
    try {
      return await write({ ...call, retry: spending(claims, dryRun) }, claims);
    } catch (error) {
      if (!SPENT.includes(sqlState(error) ?? '')) throw error;
      throw invalid('dry_run_token: was used already. Call again with dry_run: true.');
    }
  }

  private sign(body: string, { principal, tool, collectionId, asked }: DryRun): string {
    const bound = JSON.stringify([body, retryCaller(principal), tool, collectionId, asked]);
    return createHmac('sha256', this.key).update(bound).digest('base64url');
  }
}

/** Makes a token work once, as an idempotency key that no client can send because it contains spaces. */
function spending({ id }: Claims, { principal, orgId, tool, collectionId, asked }: DryRun): Retry {
  return {
    orgId,
    caller: retryCaller(principal),
    key: `dry run ${id}`,
    digest: new BodyDigest({ method: tool, originalUrl: collectionId, body: asked }),
    status: 200,
    encrypt: text => text,
  };
}

/** SQLSTATEs of `claim_idempotency_key`: the key was used before. */
const SPENT = ['IK001', 'IK002'];
