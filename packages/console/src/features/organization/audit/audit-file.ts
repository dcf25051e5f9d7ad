import type { Transport } from '@typed-collections/client';
import { type AuditSearch, filtersOf } from './search.js';

/** The most events of one file. The service sends them in pages of `PER_PAGE`. */
export const MOST_EVENTS = 50_000;
const PER_PAGE = 100;

const ACCEPT = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;

interface AuditFile {
  readonly orgSlug: string;
  readonly search: AuditSearch;
  readonly format: keyof typeof ACCEPT;
  readonly signal: AbortSignal;
  /** Default: `MOST_EVENTS`. */
  readonly most?: number;
}

/** The events that match, newest first, as the service writes them: one page after the other, with one header line. */
export function auditFile(
  transport: Pick<Transport, 'stream'>,
  { orgSlug, search, format, signal, most = MOST_EVENTS }: AuditFile,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let cursor = '';
  let left = most;
  return new ReadableStream({
    async pull(controller) {
      const response = await transport.stream({
        method: 'GET',
        path: `/v2/orgs/${encodeURIComponent(orgSlug)}/audit`,
        query: { ...filtersOf(search), limit: Math.min(PER_PAGE, left), cursor },
        headers: { accept: ACCEPT[format] },
        signal,
      });
      const text = await response.text();
      controller.enqueue(encoder.encode(format === 'csv' && cursor !== '' ? withoutHeader(text) : text));
      left -= PER_PAGE;
      cursor = nextCursor(response.headers.get('link'));
      if (cursor === '' || left <= 0) controller.close();
    },
  });
}

/** No name of a column has a line break. */
function withoutHeader(csv: string): string {
  return csv.slice(csv.indexOf('\n') + 1);
}

/** The cursor in the address of the next page (RFC 8288); empty on the last page. */
function nextCursor(link: string | null): string {
  const address = /<([^>]*)>;\s*rel="next"/.exec(link ?? '')?.[1] ?? '';
  return new URLSearchParams(address.split('?')[1]).get('cursor') ?? '';
}
