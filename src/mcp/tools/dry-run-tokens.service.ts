import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Secrets } from '../../config/secrets.js';
import { retryCaller } from '../../idempotency/idempotency.step.js';
import { digestOf } from '../../idempotency/request-digest.js';
import type { Retry } from '../../kernel/call.js';
import { Clock } from '../../kernel/clock.js';
import { invalid } from '../../kernel/errors.js';
import type { Principal } from '../../kernel/principal.js';

const LIFETIME_MS = 5 * 60_000;

/** The caller and the deletion that a token is valid for. */
export interface DryRun {
  readonly principal: Principal;
  readonly orgId: string;
  readonly collectionId: string;
  readonly filter: unknown;
}

/** The signed content of a token. */
interface Claims {
  readonly id: string;
  /** The number of records that the dry run found. */
  readonly count: number;
  readonly expiresAt: number;
}

/**
 * Tokens that prove that the caller has just seen how many records it would delete. A token is signed together with the
 * caller, the collection and the filter, and stored only when it is used: the deletion marks it as used in its own
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

  issue(dryRun: DryRun, count: number): { token: string; expiresAt: Date } {
    const expiresAt = this.clock.now().getTime() + LIFETIME_MS;
    const claims: Claims = { id: randomUUID(), count, expiresAt };
    const body = Buffer.from(JSON.stringify(claims)).toString('base64url');
    return { token: `${body}.${this.sign(body, dryRun)}`, expiresAt: new Date(expiresAt) };
  }

  /** Throws 400 for a token of another caller, collection or filter, and for one that was altered or has expired. */
  open(token: string, dryRun: DryRun): Claims {
    const [body = '', signature = ''] = token.split('.');
    const [sent, own] = [Buffer.from(signature), Buffer.from(this.sign(body, dryRun))];
    if (sent.length !== own.length || !timingSafeEqual(sent, own)) {
      throw invalid('dry_run_token: is not a token that you received for this collection and filter');
    }
    const claims: Claims = JSON.parse(Buffer.from(body, 'base64url').toString());
    if (claims.expiresAt <= this.clock.now().getTime()) {
      throw invalid('dry_run_token: has expired. Call again with dry_run: true.');
    }
    return claims;
  }

  /** Makes the token work once, as an idempotency key that no client can send because it contains spaces. */
  spending({ id }: Claims, { principal, orgId, collectionId, filter }: DryRun): Retry {
    const digest = digestOf('data_delete', collectionId, { filter });
    return {
      orgId,
      caller: retryCaller(principal),
      key: `dry run ${id}`,
      digest,
      status: 200,
      encrypt: text => text,
    };
  }

  private sign(body: string, { principal, collectionId, filter }: DryRun): string {
    const bound = JSON.stringify([body, retryCaller(principal), collectionId, filter]);
    return createHmac('sha256', this.key).update(bound).digest('base64url');
  }
}
