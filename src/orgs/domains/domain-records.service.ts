import { Resolver } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings.js';
import { PlatformError } from '../../kernel/errors.js';
import { recordName } from './domain-name.js';

/** Milliseconds until a server is asked again; the second try waits longer. */
const TIMEOUT_MS = 5_000;
const TRIES = 2;
/** Milliseconds of a whole lookup, however many servers are asked. */
const DEADLINE_MS = 10_000;
/** TXT records of a name that are looked at. */
const MAX_RECORDS = 100;

/** DNS says that there is no such name, or no TXT record of it. */
const NONE = new Set(['ENOTFOUND', 'ENODATA']);

/** Reads the TXT records by which organizations prove their domains. Call it outside of transactions. */
@Injectable()
export class DomainRecords {
  constructor(private readonly settings: Settings) {}

  /** Values of the TXT records; none when there are none. 503 when DNS does not answer, which proves nothing. */
  async of(domain: string): Promise<readonly string[]> {
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    const { DNS_SERVERS } = this.settings;
    if (DNS_SERVERS.length > 0) resolver.setServers(DNS_SERVERS);
    const deadline = setTimeout(() => resolver.cancel(), DEADLINE_MS);
    try {
      const records = await resolver.resolveTxt(recordName(domain));
      return records.slice(0, MAX_RECORDS).map(parts => parts.join(''));
    } catch (error) {
      const { code = 'unknown' } = error as { code?: string };
      if (NONE.has(code)) return [];
      const reason = code === 'ECANCELLED' ? 'ETIMEOUT' : code;
      throw new PlatformError(
        'Unavailable',
        `DNS gave no answer about ${recordName(domain)} (${reason}). Nothing was changed. Retry later.`,
      );
    } finally {
      clearTimeout(deadline);
    }
  }
}
