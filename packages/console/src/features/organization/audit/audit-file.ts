import type { Transport } from '@typed-collections/client';
import type { FileChoice } from '../../../ui/export/export-dialog.js';
import type { Format } from '../../../ui/export/export-file.js';
import { type AuditSearch, filtersOf } from './search.js';

/** The most events of one file. The service sends them in pages of `PER_PAGE`. */
export const MOST_EVENTS = 50_000;
const PER_PAGE = 100;

const ACCEPT = { csv: 'text/csv', ndjson: 'application/x-ndjson', json: 'application/x-ndjson' } as const;

interface AuditFile extends FileChoice {
  readonly orgSlug: string;
  readonly search: AuditSearch;
  readonly signal: AbortSignal;
  /** Default: `MOST_EVENTS`. */
  readonly most?: number;
}

/** The events that match, newest first, as the service writes them: one page after the other, with one header line. */
export function auditFile(
  transport: Pick<Transport, 'stream'>,
  { orgSlug, search, format, safe, signal, most = MOST_EVENTS }: AuditFile,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  let cursor = '';
  let left = most;
  return new ReadableStream({
    async pull(controller) {
      const response = await transport.stream({
        method: 'GET',
        path: `/v2/orgs/${encodeURIComponent(orgSlug)}/audit`,
        query: { ...filtersOf(search), limit: Math.min(PER_PAGE, left), cursor, safe },
        headers: { accept: ACCEPT[format] },
        signal,
      });
      const text = await response.text();
      const isFirst = cursor === '';
      left -= PER_PAGE;
      cursor = left > 0 ? nextCursor(response.headers.get('link')) : '';
      const isLast = cursor === '';
      controller.enqueue(encoder.encode(PAGES[format](text, isFirst, isLast)));
      if (isLast) controller.close();
    },
  });
}

/** A page as a part of the file. */
const PAGES: Record<Format, (text: string, isFirst: boolean, isLast: boolean) => string> = {
  // No name of a column has a line break.
  csv: (text, isFirst) => (isFirst ? text : text.slice(text.indexOf('\n') + 1)),
  ndjson: text => text,
  json: (text, isFirst, isLast) =>
    text === '' && isFirst
      ? '[]\n'
      : `${isFirst ? '[' : ','}\n${text.trimEnd().replaceAll('\n', ',\n')}${isLast ? '\n]\n' : ''}`,
};

/** The cursor in the address of the next page (RFC 8288); empty on the last page. */
function nextCursor(link: string | null): string {
  const address = /<([^>]*)>;\s*rel="next"/.exec(link ?? '')?.[1] ?? '';
  return new URLSearchParams(address.split('?')[1]).get('cursor') ?? '';
}
