import type { ApiRequest } from '@typed-collections/client';
import { expect, it } from 'vitest';
import { auditFile } from './audit-file.js';

const HEADER = 'id,type\r\n';

/** A service whose log has pages of one event each; the cursor is the number of the page. */
function serviceWith(pages: number, requests: ApiRequest[] = []) {
  return {
    requests,
    stream: async (request: ApiRequest) => {
      requests.push(request);
      const page = Number(request.query?.cursor || 0);
      const isCsv = request.headers?.accept === 'text/csv';
      const headers = new Headers();
      if (page + 1 < pages)
        headers.set('link', `</v2/orgs/acme/audit?limit=100&cursor=${page + 1}>; rel="next"`);
      return new Response(isCsv ? `${HEADER}${page},a\r\n` : `{"id":${page}}\n`, { headers });
    },
  };
}

const { signal } = new AbortController();
const SEARCH = { category: 'orgs.members', actor: 'ada' };

async function fileOf(
  service: ReturnType<typeof serviceWith>,
  format: 'csv' | 'ndjson' | 'json',
  most?: number,
): Promise<string> {
  return new Response(
    auditFile(service, {
      orgSlug: 'acme',
      search: SEARCH,
      format,
      safe: true,
      signal,
      ...(most && { most }),
    }),
  ).text();
}

it('has every page of the log with one header line', async () => {
  expect(await fileOf(serviceWith(3), 'csv')).toBe(`${HEADER}0,a\r\n1,a\r\n2,a\r\n`);
  expect(await fileOf(serviceWith(3), 'ndjson')).toBe('{"id":0}\n{"id":1}\n{"id":2}\n');
  expect(JSON.parse(await fileOf(serviceWith(3), 'json'))).toEqual([{ id: 0 }, { id: 1 }, { id: 2 }]);
  expect(await fileOf(serviceWith(1), 'csv')).toBe(`${HEADER}0,a\r\n`);
});

it('asks with the filters of the page each time', async () => {
  const { requests, ...service } = serviceWith(2);
  await fileOf({ requests, ...service }, 'ndjson');
  expect(requests.map(({ query }) => query)).toEqual([
    { ...SEARCH, limit: 100, cursor: '', safe: true },
    { ...SEARCH, limit: 100, cursor: '1', safe: true },
  ]);
});

it('ends at the most events of a file', async () => {
  const service = serviceWith(9);
  await fileOf(service, 'csv', 250);
  expect(service.requests.map(({ query }) => query?.limit)).toEqual([100, 100, 50]);
});
