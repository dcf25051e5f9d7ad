import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ChangeStreams } from '../../../src/features/changes/change-streams.service.js';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  type Caller,
  type Home,
  insert,
  newCollection,
  newHome,
  type TestCollection,
} from '../../harness/collection.js';
import { newKey, newMember } from '../orgs/org.js';
import { bindingPath, grant, withUser } from '../sharing/sharing.js';
import { connect, credentials, metaOf } from './client.js';

let app: TestApp;
let home: Home;
let books: TestCollection;
const open: AbortController[] = [];
beforeAll(async () => {
  app = await startApp();
  home = await newHome(app);
  books = await newCollection(app, home, { properties: { title: { type: 'text' } } });
});
afterEach(() => {
  for (const stream of open.splice(0)) stream.abort();
});

const sample = ({ id }: Pick<TestCollection, 'id'>) => `collection://${id}/sample`;
const schema = ({ id }: Pick<TestCollection, 'id'>) => `collection://${id}/schema`;

interface Listening {
  readonly status: number;
  readonly messages: {
    method?: string;
    params?: { uri?: string };
    result?: object;
    error?: { code: number };
  }[];
  readonly ended: Promise<void>;
  updated(): (string | undefined)[];
}

/** Opens a stream about resources, and stores the notifications. */
async function listen(caller: Caller, resourceSubscriptions: string[], path = '/v1/mcp'): Promise<Listening> {
  const stream = new AbortController();
  open.push(stream);
  const params = { notifications: { resourceSubscriptions }, _meta: metaOf('2026-07-28') };
  const answer = await fetch(`${app.url}${path}`, {
    ...{ method: 'POST', signal: stream.signal },
    headers: {
      ...credentials(caller),
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' },
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'subscriptions/listen', params }),
  });
  const messages: Listening['messages'] = [];
  const read = async () => {
    let text = '';
    for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      const events = text.split('\n\n');
      text = events.pop() as string;
      for (const event of events) {
        const data = event.split('\n').find(line => line.startsWith('data:'));
        if (data !== undefined) messages.push(JSON.parse(data.slice('data:'.length)));
      }
    }
    if (text.startsWith('{')) messages.push(JSON.parse(text));
  };
  const ended = read().catch(() => undefined);
  await expect.poll(() => messages.length).toBeGreaterThan(0);
  const updated = () =>
    messages
      .filter(({ method }) => method === 'notifications/resources/updated')
      .map(({ params: p }) => p?.uri);
  return { status: answer.status, messages, ended, updated };
}

const count = () => app.nest.get(ChangeStreams, { strict: false }).count;

describe('a subscription to a collection', () => {
  it('is acknowledged, and reports changes of records by any caller', async () => {
    const { messages, updated } = await listen(home.owner, [sample(books)]);
    expect(messages[0]).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { resourceSubscriptions: [sample(books)] } },
    });
    expect(updated()).toEqual([]);
    await insert(app, books, { title: 'Emma' });
    await expect.poll(updated).toContain(sample(books));
    expect(JSON.stringify(messages)).not.toContain('Emma');
  });

  it('reports changes of the schema, and nothing about other collections', async () => {
    const other = await newCollection(app, home);
    const made = await newCollection(app, home);
    const { updated } = await listen(home.owner, [schema(made)]);
    await insert(app, other, { n: 1 });
    const body = { properties: { n: { type: 'integer' } } };
    expect((await app.request('PATCH', `${made.path}/schema`, { ...home.owner, body })).status).toBe(200);
    await expect.poll(updated).toContain(schema(made));
    expect(new Set(updated())).toEqual(new Set([schema(made)]));
  });

  it('works with the official client', async () => {
    const made = await newCollection(app, home);
    const { sdk } = await connect(app, home.owner);
    expect(sdk.getServerCapabilities()?.resources).toEqual({ subscribe: true });
    const old = await connect(app, home.owner, { version: '2025-11-25' });
    expect(old.sdk.getServerCapabilities()?.resources).toEqual({});
    const received: string[] = [];
    sdk.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void received.push(params.uri),
    );
    const stream = await sdk.listen({ resourceSubscriptions: [sample(made)] });
    await insert(app, made, { n: 1 });
    await expect.poll(() => received).toContain(sample(made));
    await stream.close();
  });

  it('is refused in the same way without access and for a collection that does not exist', async () => {
    const stranger = (await newHome(app)).owner;
    const [hidden, absent] = [
      await listen(stranger, [sample(books)]),
      await listen(stranger, [sample({ id: '0192f0c1-2f5e-7b3a-9c4d-5e6f7a8b9c0d' })]),
    ];
    expect(hidden.messages[0]?.error?.code).toBe(-32602);
    expect(absent.messages[0]?.error?.code).toBe(-32602);
    const other = await newCollection(app, home);
    const scoped = await listen(home.owner, [sample(other)], `${books.path}/mcp`);
    expect(scoped.messages[0]?.error?.code).toBe(-32602);
  });

  it('ends without further notifications when the caller loses read access to the collection', async () => {
    const guest = await newMember(app, home.org);
    await grant(app, books, withUser(guest), 'reader');
    const { ended, updated } = await listen(guest, [sample(books)]);
    await app.request('DELETE', bindingPath(books, withUser(guest)), home.owner);
    await ended;
    const received = updated().length;
    await insert(app, books, { title: 'after' });
    expect(updated()).toHaveLength(received);
  });

  it('ends with the key that opened it', async () => {
    const { id, apiKey } = await newKey(app, home.org);
    const { ended } = await listen({ key: apiKey }, [sample(books)]);
    expect((await app.request('DELETE', `${home.org.path}/api-keys/${id}`, home.owner)).status).toBe(200);
    await ended;
  });

  it('is limited per caller and per message, and frees its place when it ends', async () => {
    const before = count();
    const many = Array.from({ length: 41 }, (_, n) => `collection://c${n}/sample`);
    expect((await listen(home.owner, many)).messages[0]?.error).toBeDefined();
    const mine = await newMember(app, home.org);
    await grant(app, books, withUser(mine), 'reader');
    for (let n = 0; n < 20; n++)
      expect((await listen(mine, [sample(books)])).messages[0]?.error).toBeUndefined();
    expect((await listen(mine, [sample(books)])).messages[0]?.error).toBeDefined();
    for (const stream of open.splice(0)) stream.abort();
    await expect.poll(count).toBe(before);
  });
});
