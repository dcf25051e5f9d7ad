import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Secrets } from '../config/secrets.js';
import { retryCaller } from '../idempotency/idempotency-key.js';
import { digestOf } from '../idempotency/request-digest.js';
import { Clock } from '../kernel/clock.js';
import { invalid } from '../kernel/errors.js';
import type { Principal } from '../kernel/principal.js';
import type { Retry } from '../kernel/retry.js';

/** Between a dry run and the deed. */
const LIFETIME_MS = 5 * 60_000;

/** What a dry run was about. */
export interface DryRun {
  readonly principal: Principal;
  readonly orgId: string;
  readonly collectionId: string;
  readonly filter: unknown;
}

/** What a token says: it was made by this service and never changed. */
interface Claims {
  readonly id: string;
  /** Records that the dry run found. */
  readonly count: number;
  readonly expiresAt: number;
}

/**
 * Proof that a caller has just been told how much it would delete. Nothing is kept until it is used: the token is
 * signed together with what it is for, and spent in the transaction of the deletion.
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

  /** Throws 400 for a token that was made for something or somebody else, changed, or has run out. */
  open(token: string, dryRun: DryRun): Claims {
    const [body = '', signature = ''] = token.split('.');
    const [sent, own] = [Buffer.from(signature), Buffer.from(this.sign(body, dryRun))];
    if (sent.length !== own.length || !timingSafeEqual(sent, own)) {
      throw invalid('dry_run_token: not one that you were given for this collection and this filter');
    }
    const claims: Claims = JSON.parse(Buffer.from(body, 'base64url').toString());
    if (claims.expiresAt <= this.clock.now().getTime()) {
      throw invalid('dry_run_token: has run out; call again with dry_run: true');
    }
    return claims;
  }

  /** What makes the deletion happen once: the token counts as the key of a request, which no header can name. */
  spending({ id }: Claims, { principal, orgId, collectionId, filter }: DryRun): Retry {
    const digest = digestOf('data_delete', collectionId, { filter });
    return {
      orgId,
      caller: retryCaller(principal),
      key: `dry run ${id}`,
      digest,
      status: 200,
      seal: text => text,
    };
  }

  private sign(body: string, { principal, collectionId, filter }: DryRun): string {
    const bound = JSON.stringify([body, retryCaller(principal), collectionId, filter]);
    return createHmac('sha256', this.key).update(bound).digest('base64url');
  }
}
