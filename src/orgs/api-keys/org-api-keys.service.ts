import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Secrets } from '../../config/secrets.js';
import { Clock } from '../../kernel/clock.js';
import type { Principal } from '../../kernel/principal.js';
import { ipAllowed } from './ip-allow-list.js';
import { orgSlugOf } from './key-text.js';
import { FIND_LIVE_KEY, FIND_LIVE_KEY_BY_ID, type LiveKey, principalOf } from './live-key.js';

/** `last_used_at` is exact to this. */
const LAST_USED_MS = 60_000;

/** Proves keys. */
@Injectable()
export class OrgApiKeys {
  private readonly logger = new Logger(OrgApiKeys.name);

  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  /**
   * Whom a call with this key from this address comes from; undefined for every key that is not good, whatever
   * the reason. One round trip. The answer holds for this address only.
   */
  async authenticate(rawKey: string, ip: string | undefined): Promise<Principal | undefined> {
    const key = await this.find(rawKey, ip);
    if (key === undefined) return undefined;
    this.noteUse(key);
    return principalOf(key);
  }

  /** Whom a call with the key of this id comes from, which somebody else has proven; undefined when it is no longer good. */
  async identify(id: string, ip: string | undefined): Promise<Principal | undefined> {
    const [key]: LiveKey[] = await this.source.query(FIND_LIVE_KEY_BY_ID, [this.clock.now(), id]);
    return key !== undefined && ipAllowed(key.ip_allow_list, ip) ? principalOf(key) : undefined;
  }

  /** Id of the key if it is good and of that organization. */
  async validate(orgSlug: string, rawKey: string, ip: string | undefined): Promise<string | undefined> {
    return orgSlugOf(rawKey) === orgSlug ? (await this.find(rawKey, ip))?.id : undefined;
  }

  private async find(rawKey: string, ip: string | undefined): Promise<LiveKey | undefined> {
    const orgSlug = orgSlugOf(rawKey);
    if (orgSlug === undefined) return undefined;
    const values = [this.clock.now(), this.secrets.hashes(rawKey), orgSlug];
    const [key]: LiveKey[] = await this.source.query(FIND_LIVE_KEY, values);
    return key !== undefined && ipAllowed(key.ip_allow_list, ip) ? key : undefined;
  }

  /** Off the request's path: nobody waits for it, and a call does not fail because of it. */
  private noteUse(key: LiveKey): void {
    const now = this.clock.now();
    const lately = new Date(now.getTime() - LAST_USED_MS);
    if (key.last_used_at !== null && key.last_used_at > lately) return;
    this.source
      .query(
        'UPDATE org_api_keys SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3)',
        [key.id, now, lately],
      )
      .catch((error: Error) => this.logger.warn(`noting the use of key ${key.id} failed: ${error.message}`));
  }
}
