import { randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, In, LessThan, MoreThan, Repository } from 'typeorm';
import { AuditLog } from '../../audit/audit-log.js';
import { Secrets } from '../../config/secrets.js';
import { Pruning, RightsTransaction } from '../../identity/rights-transaction.js';
import type { Call } from '../../kernel/call.js';
import { Clock } from '../../kernel/clock.js';
import { invalid, PlatformError } from '../../kernel/errors.js';
import { isUuid, newId } from '../../kernel/id.js';
import { offsetOf, type Page } from '../../kernel/page.js';
import { activeMembership } from '../../kernel/principal.js';
import { AccessToken } from './access-token.entity.js';

const FORM = /^at:[A-Za-z0-9_-]{43}$/;
const SHOWN_PREFIX = 9;
const USE_NOTED_EVERY_MS = 60_000;

export interface NewAccessToken {
  readonly userId: string;
  readonly name: string;
  readonly expiresAt: Date;
  /** The active organization of the session that mints it: the token's from now on. */
  readonly activeOrgSlug?: string;
}

/** A minted token with its secret, which nobody can read again. */
export interface MintedAccessToken extends NewAccessToken {
  readonly id: string;
  readonly token: string;
}

/** Tokens with which a person's scripts act as that person (spec 5.2). */
@Injectable()
export class AccessTokens {
  private readonly logger = new Logger(AccessTokens.name);

  constructor(
    @InjectRepository(AccessToken) private readonly tokens: Repository<AccessToken>,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly rights: RightsTransaction,
    private readonly pruning: Pruning,
  ) {}

  /** Mints a token in the caller's transaction. Refuses an expiry that is past or more than a year away. */
  async mint(manager: EntityManager, call: Call, wanted: NewAccessToken): Promise<MintedAccessToken> {
    const now = this.clock.now();
    if (!(wanted.expiresAt > now && wanted.expiresAt <= oneYearAfter(now))) {
      throw invalid('expiresAt: expects a moment in the future, at most one year from now');
    }
    const id = newId();
    const token = `at:${randomBytes(32).toString('base64url')}`;
    const { userId, name, expiresAt } = wanted;
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

  /** Mints a token for the caller. Anonymous users have none: nobody could revoke it for them. */
  mintOwn(call: Call, name: string, expiresAt: Date): Promise<MintedAccessToken> {
    if (call.principal.anonymous) {
      throw new PlatformError('Forbidden', 'An anonymous user cannot mint access tokens.');
    }
    return this.tokens.manager.transaction(manager =>
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

  /** Ends a token of the caller at once; 404 for another's. */
  async revoke(call: Call, id: string): Promise<void> {
    await this.rights.run(async manager => {
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

  /** Writes down the use of a token, once a minute at most, while the request goes on. */
  noteUse(token: AccessToken): void {
    const now = this.clock.now();
    if (token.lastUsedAt !== null && now.getTime() - token.lastUsedAt.getTime() < USE_NOTED_EVERY_MS) return;
    this.tokens
      .update({ id: token.id }, { lastUsedAt: now })
      .catch(error => this.logger.warn(`noting a token's use failed: ${(error as Error).message}`));
  }

  /** Removes expired tokens. Returns how many. */
  removeExpired(): Promise<number> {
    return this.pruning.remove(AccessToken, { expiresAt: LessThan(this.clock.now()) }, 'accesstokens');
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
