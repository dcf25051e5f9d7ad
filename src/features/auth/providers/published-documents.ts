import type { Clock } from '../../../base/kernel/clock.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import type { OutboundFetch } from '../../../platform/outbound/outbound-fetch.js';

/**
 * The provider is unreachable or too slow, or publishes something invalid. The message is for the log only, because it
 * would tell a client which hosts and ports answer.
 */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable';
}

/** The id_token is not valid for this platform. The message is for the log. */
export class IdTokenRefused extends Error {
  override readonly name = 'IdTokenRefused';
}

/** The 503 for a provider that is not available. The reason is only logged. */
export function providerAway(): PlatformError {
  return new PlatformError(
    'Unavailable',
    'The identity provider cannot be reached or sent an invalid response. Retry in a few seconds.',
  );
}

const FRESH_MS = 10 * 60_000;
const PAUSE_MS = 30_000;
/**
 * Maximum number of cached documents. Any organization can add providers, so the cache is limited; the documents loaded
 * least recently are dropped first.
 */
const MAX_DOCUMENTS = 1000;

interface Kept<T> {
  value?: T;
  loadedAt: number;
  triedAt: number;
  loading?: Promise<T>;
}

/**
 * Caches documents of providers. A document is fresh for 10 minutes. When a renewal fails, the old document is used and
 * the next attempt is made after 30 s at the earliest. There is one request at a time for each document.
 */
export class KeptDocuments<T> {
  // biome-ignore lint/plugin/bounded-maps: at most MAX_DOCUMENTS
  private readonly kept = new Map<string, Kept<T>>();

  constructor(
    private readonly clock: Clock,
    private readonly onFailure: (error: Error) => void,
  ) {}

  /** The document with this key. Throws the error of `load` if the document could never be loaded. */
  get(key: string, load: () => Promise<T>): Promise<T> {
    const entry = this.entry(key);
    const fresh = entry.loadedAt + FRESH_MS > this.now();
    return fresh && entry.value !== undefined ? Promise.resolve(entry.value) : this.renewed(key, load);
  }

  /** Loads the document again although it may be fresh, at most once in 30 s. */
  async renewed(key: string, load: () => Promise<T>): Promise<T> {
    const entry = this.entry(key);
    const { value } = entry;
    if (value !== undefined && entry.loading === undefined && entry.triedAt + PAUSE_MS > this.now())
      return value;
    entry.loading ??= this.load(key, entry, load);
    if (value === undefined) return entry.loading;
    return entry.loading.catch(() => value);
  }

  private async load(key: string, entry: Kept<T>, load: () => Promise<T>): Promise<T> {
    entry.triedAt = this.now();
    this.remember(key, entry);
    try {
      entry.value = await load();
      entry.loadedAt = this.now();
      return entry.value;
    } catch (error) {
      this.onFailure(error as Error);
      throw error;
    } finally {
      entry.loading = undefined;
    }
  }

  private remember(key: string, entry: Kept<T>): void {
    this.kept.delete(key);
    this.kept.set(key, entry);
    if (this.kept.size > MAX_DOCUMENTS) this.kept.delete(this.kept.keys().next().value as string);
  }

  private entry(key: string): Kept<T> {
    return this.kept.get(key) ?? { loadedAt: Number.NEGATIVE_INFINITY, triedAt: Number.NEGATIVE_INFINITY };
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}

/** Loads a JSON object from a provider. Throws ProviderUnavailable if that fails. */
export async function publishedDocument(
  { fetch }: OutboundFetch,
  address: string,
): Promise<Readonly<Record<string, unknown>>> {
  const refused = (reason: string, cause?: unknown) =>
    new ProviderUnavailable(`${address}: ${reason}`, { cause });
  const answer = await fetch(address, { headers: { accept: 'application/json' } }).catch(error => {
    throw refused((error as Error).message, error);
  });
  if (answer.status !== 200) throw refused(`status ${answer.status}`);
  const read: unknown = await answer.json().catch(() => undefined);
  if (typeof read !== 'object' || read === null || Array.isArray(read))
    throw refused('the answer is not a JSON object');
  return read as Record<string, unknown>;
}
