import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, In, MoreThan, Repository } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { isUuid, newId } from '../../../base/kernel/id.js';
import { activeMembership } from '../../../base/kernel/principal.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Secrets } from '../../../platform/config/secrets.js';
import { Capacity } from '../../../platform/database/capacity.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { offsetOf, type Page } from '../../../platform/http/list-page.js';
import { outlived, Pruning } from '../../identity/pruning.js';
import { AccessToken } from './access-token.entity.js';

const FORM = /^at:[A-Za-z0-9_-]{43}$/;
const SHOWN_PREFIX = 9;

export interface NewAccessToken {
  readonly userId: string;
  readonly name: string;
  readonly expiresAt: Date;
  /** The active organization of the token: that of the session that mints it. */
  readonly activeOrgSlug?: string;
}

/** A minted token with its secret, which is not stored. */
export interface MintedAccessToken extends NewAccessToken {
  readonly id: string;
  readonly token: string;
}

/** Access tokens: the scripts of a person use them to act as that person (spec 5.2). */
@Injectable()
export class AccessTokens {
  constructor(
    @InjectRepository(AccessToken) private readonly tokens: Repository<AccessToken>,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
    private readonly capacity: Capacity,
    private readonly audit: AuditLog,
    private readonly transactions: Transactions,
    private readonly pruning: Pruning,
  ) {}

  /** Mints a token in the caller's transaction. Throws 400 unless it expires within a year. */
  async mint(manager: EntityManager, call: Call, wanted: NewAccessToken): Promise<MintedAccessToken> {
    const now = this.clock.now();
    if (!(wanted.expiresAt > now && wanted.expiresAt <= oneYearAfter(now))) {
      throw invalid('expiresAt: expects a time in the future, at most one year from now');
    }
    const id = newId();
    const token = `at:${randomBytes(32).toString('base64url')}`;
    const { userId, name, expiresAt } = wanted;
    await this.capacity.assertRoom(manager, 'access_tokens', userId);
    await manager.insert(AccessToken, {
      id,
      userId,
      name,
      expiresAt,
      secretHash: this.secrets.hash(token),
      prefix: token.slice(0, SHOWN_PREFIX),
      activeOrgSlug: wanted.activeOrgSlug ?? null,
      createdAt: now,
      lastUsedAt: null,
    });
    await this.record(manager, call, 'accesstokens.minted', { id, name });
    return { id, token, userId, name, expiresAt };
  }

  /** Mints a token for the caller. Throws 403 for anonymous users, whose tokens nobody could revoke. */
  mintOwn(call: Call, name: string, expiresAt: Date): Promise<MintedAccessToken> {
    if (call.principal.anonymous) {
      throw new PlatformError('Forbidden', 'An anonymous user cannot mint access tokens.');
    }
    return this.transactions.run(manager =>
      this.mint(manager, call, {
        userId: call.principal.id,
        name,
        expiresAt,
        activeOrgSlug: activeMembership(call.principal)?.orgSlug,
      }),
    );
  }

  list(userId: string, page: Page): Promise<[AccessToken[], number]> {
    return this.tokens.findAndCount({
      where: { userId, expiresAt: MoreThan(this.clock.now()) },
      order: { createdAt: 'DESC', id: 'DESC' },
      skip: offsetOf(page),
      take: page.limit,
    });
  }

  /** Revokes a token of the caller. Throws 404 when the caller has no such token. */
  async revoke(call: Call, id: string): Promise<void> {
    await this.transactions.run(async manager => {
      const { affected } = isUuid(id)
        ? await manager.delete(AccessToken, { id, userId: call.principal.id })
        : { affected: 0 };
      if (affected !== 1) throw new PlatformError('NotFound', `There is no access token ${id}.`);
      await this.record(manager, call, 'accesstokens.revoked', { id });
    });
  }

  /** The unexpired token of this exact text. */
  async findBySecret(secret: string): Promise<AccessToken | undefined> {
    if (!FORM.test(secret)) return undefined;
    const token = await this.tokens.findOneBy({
      secretHash: In(this.secrets.hashes(secret)),
      expiresAt: MoreThan(this.clock.now()),
    });
    return token ?? undefined;
  }

  /** The unexpired token of this id. */
  async findAlive(id: string): Promise<AccessToken | undefined> {
    if (!isUuid(id)) return undefined;
    return (await this.tokens.findOneBy({ id, expiresAt: MoreThan(this.clock.now()) })) ?? undefined;
  }

  /** Removes expired tokens. Returns their number. */
  removeExpired(signal?: AbortSignal): Promise<number> {
    const expired = { entity: AccessToken, time: 'expiresAt', before: this.clock.now() } as const;
    return this.pruning.remove({ ...expired, event: outlived('accesstokens') }, signal);
  }

  private record(
    manager: EntityManager,
    call: Call,
    type: string,
    { id, name }: { id: string; name?: string },
  ): Promise<void> {
    return this.audit.record(manager, call, undefined, { type, target: { type: 'accesstoken', id, name } });
  }
}

function oneYearAfter(moment: Date): Date {
  const later = new Date(moment);
  later.setUTCFullYear(later.getUTCFullYear() + 1);
  return later;
}
