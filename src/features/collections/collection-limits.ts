import type { Clock } from '../../base/kernel/clock.js';
import type { CollectionRight } from '../../base/kernel/permission.js';
import type { Principal } from '../../base/kernel/principal.js';
import type { Settings } from '../../platform/config/settings.js';
import { WINDOW_MS } from '../../platform/http/rate-limit/limited.decorator.js';
import { CallerWindows } from '../../platform/http/rate-limit/rate-limit.step.js';
import { sourceOf, TooManyRequests } from '../../platform/http/rate-limit/source-attempts.service.js';
import type { CallerRole } from './collection-rights.js';

type Kind = 'reads' | 'writes';

const KINDS: Partial<Record<CollectionRight, Kind>> = { read: 'reads', write: 'writes' };

interface Windows {
  /** By caller and collection. */
  readonly grants: CallerWindows;
  /** Anonymous callers, by id and by source address. */
  readonly anonymous: CallerWindows;
  readonly sources: CallerWindows;
}

/**
 * Limits of grants and of anonymous callers, beside the limits that every caller has. They are counted when the access to
 * the collection is known, in the memory of this process.
 */
export class CollectionLimits {
  private readonly windows: Readonly<Record<Kind, Windows>> = { reads: windows(), writes: windows() };

  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /** Counts a read or a write. Throws 429. */
  admit({ principal, collection, limits }: CallerRole, right: CollectionRight, ip: string | undefined): void {
    const kind = KINDS[right];
    const limit = kind && limits?.[`${kind}_per_minute`];
    if (kind === undefined || this.settings.RATE_LIMITS !== 'on') return;
    const { grants } = this.windows[kind];
    if (limit !== undefined) this.count(grants, `${principal.id} ${collection.id}`, limit);
    if (principal.anonymous) this.admitAnonymous(principal, kind, ip);
  }

  private admitAnonymous({ id }: Principal, kind: Kind, ip: string | undefined): void {
    const { RATE_LIMIT_ANONYMOUS_READS, RATE_LIMIT_ANONYMOUS_WRITES } = this.settings;
    const limit = kind === 'reads' ? RATE_LIMIT_ANONYMOUS_READS : RATE_LIMIT_ANONYMOUS_WRITES;
    const { anonymous, sources } = this.windows[kind];
    this.count(anonymous, id, limit);
    this.count(sources, sourceOf(ip), limit);
  }

  private count(counted: CallerWindows, key: string, limit: number): void {
    const now = this.clock.now().getTime();
    const { used, startedAt } = counted.count(key, now);
    if (used > limit) throw new TooManyRequests(Math.ceil((startedAt + WINDOW_MS - now) / 1000));
  }
}

function windows(): Windows {
  return { grants: new CallerWindows(), anonymous: new CallerWindows(), sources: new CallerWindows() };
}
