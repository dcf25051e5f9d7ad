import type { OutboundFetch } from '../../outbound/outbound-fetch.js';
import { ProviderUnavailable } from './provider-errors.js';

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
