import { beforeAll, describe, expect, it } from 'vitest';
import { everyRecord, insert, outcome, written } from '../../harness/collection.js';
import { guest } from '../sharing/sharing.js';
import { type Books, booksWith } from './books.js';

let { app, home, books, id } = {} as Books;
beforeAll(async () => {
  ({ app, home, books, id } = await booksWith({ title: 'Emma', year: 1815 }));
});

const send = (method: string, below: string, body?: object) =>
  app.request(method, books.path + below, { ...home.owner, ...(body && { body }) });

describe('a parameter that an operation does not know', () => {
  it.each([
    ['PATCH', '/data?dry_run=true', { filter: { year: 1815 }, update: { year: 1 } }],
    ['POST', '/data/batch?dry_run=true', { operations: [{ insert: { title: 'x' } }] }],
    ['POST', '/undo?dry_run=true', { event_ids: ['0197a5c0-0000-7000-8000-000000000000'] }],
    ['POST', '/restore?dry_run=true', { as_of: '2020-01-01T00:00:00Z' }],
    ['POST', '/data/query?limit=5', {}],
    ['POST', '/data/upsert?ttl_days=1', { data: { title: 'x' }, match_fields: ['title'] }],
  ])('is 400 for %s %s, names the body, and nothing is written', async (method, below, body) => {
    const before = [await everyRecord(app, books), await written(app, books)];
    const answer = await send(method, below, body);
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    const name = below.split(/[?=]/)[1];
    expect(answer.body.message).toBe(
      `${name}: is not a query parameter of this operation: send it as a property of the body`,
    );
    expect(answer.body.details).toMatchObject([{ field: name }]);
    expect([await everyRecord(app, books), await written(app, books)]).toEqual(before);
  });

  it.each([
    ['DELETE', () => `/data/${id}?dry_run=true`],
    ['PATCH', () => `/data/${id}?dry_run=true`],
    ['DELETE', () => '?dry_run=true'],
    ['POST', () => '/import?dry=true'],
    ['PUT', () => '/charts?force=1'],
  ])('is 400 for %s without such a property, whatever the body', async (method, below) => {
    const answer = await send(method, below(), method === 'DELETE' ? undefined : { title: 'x' });
    expect([answer.status, answer.body.message]).toEqual([
      400,
      expect.stringMatching(/^\w+: is not a (query parameter of this operation|known property)$/),
    ]);
    expect((await everyRecord(app, books)).length).toBe(1);
  });

  it('is 400 also where a body may be a form, before the body is looked at', async () => {
    const body = { provider: 'nobody', subject_token: 'x' };
    const answer = await app.request('POST', '/v2/login/token-exchange?expiresAfter=60', { body });
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain('expiresAfter: is not a query parameter');
  });

  it('is refused after the rights, and never for a read', async () => {
    const reader = await guest(app, home.org, books, 'reader');
    const patch = await app.request('PATCH', `${books.data}/${id}?x=1`, {
      token: reader.token,
      body: { title: 'x' },
    });
    expect(outcome(patch)).toEqual([403, 'Forbidden']);
    expect((await app.request('GET', `${books.path}/views?cache=7`, home.owner)).status).toBe(200);
  });
});

it('parameters that an operation knows still work for writes', async () => {
  const [gone] = (await insert(app, books, { title: 'Gone' })) as [string];
  expect((await send('DELETE', `/data/${gone}?erase=true`)).status).toBe(200);
});
