import type { Clock } from '../../kernel/clock.js';
import { PlatformError } from '../../kernel/errors.js';
import type { OutboundFetch } from '../../outbound/outbound-fetch.js';

/**
 * The provider did not give what a login needs: unreachable, too slow, or wrong in what it publishes. The message
 * is for the log: shown to a client, it would tell what answers where.
 */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable';
}

/** The id_token is not one that this provider made for us, or no longer. The message is for the log. */
export class IdTokenRefused extends Error {
  override readonly name = 'IdTokenRefused';
}

/** 503 for a provider that does not give what a login needs; why is for the log alone. */
export function providerAway(): PlatformError {
  return new PlatformError(
    'Unavailable',
    'The identity provider does not answer as it should right now. Try again in a few seconds.',
  );
}

const FRESH_MS = 10 * 60_000;
const PAUSE_MS = 30_000;
/** Organizations make providers; what is not asked for any more makes room. */
const MAX_DOCUMENTS = 1000;

interface Kept<T> {
  value?: T;
  loadedAt: number;
  triedAt: number;
  loading?: Promise<T>;
}

/**
 * What providers publish, each document kept for 10 minutes and, while its provider is down, for as long as that
 * lasts. One request at a time for each, however many wait for it; where there is something to go on with, at most one in 30 s.
 */
export class KeptDocuments<T> {
  private readonly kept = new Map<string, Kept<T>>();

  constructor(
    private readonly clock: Clock,
    private readonly onFailure: (error: Error) => void,
  ) {}

  /** The document named `key`, by `load` if need be. Throws what `load` throws when there never was one. */
  get(key: string, load: () => Promise<T>): Promise<T> {
    const entry = this.entry(key);
    const fresh = entry.loadedAt + FRESH_MS > this.now();
    return fresh && entry.value !== undefined ? Promise.resolve(entry.value) : this.renewed(key, load);
  }

  /** The same, for somebody to whom even a fresh one was of no use. */
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

/** The JSON object at an address of a provider. Throws ProviderUnavailable for anything else. */
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
  if (typeof read !== 'object' || read === null || Array.isArray(read)) throw refused('no JSON object');
  return read as Record<string, unknown>;
}
