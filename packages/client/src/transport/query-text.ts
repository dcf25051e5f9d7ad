import type { ApiRequest, QueryValue } from './transport.js';

type Query = Readonly<Record<string, QueryValue>>;

/** The longest query string that is sent in an address. Proxies limit addresses to 8 KiB, and Node the whole head to 16. */
const MAX_QUERY_LENGTH = 4_000;

/** The parameters as a query string with its `?`; the empty text if there are none. */
export function queryText(query: Query | undefined): string {
  let text = '';
  for (const name in query) {
    const value = query[name];
    if (value === undefined) continue;
    const shown = typeof value === 'object' ? JSON.stringify(value) : String(value);
    text += `${text === '' ? '?' : '&'}${name}=${encodeURIComponent(shown)}`;
  }
  return text;
}

/**
 * A read that the service offers as `GET` with a query, and as `POST` with the same parameters as its body, for filters
 * that are too long for an address.
 */
export function readBy(path: string, query: Query, signal: AbortSignal | undefined): ApiRequest {
  return queryText(query).length > MAX_QUERY_LENGTH
    ? { method: 'POST', path, body: query, readOnly: true, signal }
    : { method: 'GET', path, query, signal };
}
