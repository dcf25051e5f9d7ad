import { describe, expect, it, onTestFinished } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { eventsOf, insert, newCollection, newHome, type TestCollection } from '../../harness/collection.js';
import { succeed } from '../../harness/collection-requests.js';
import { schemaOf } from '../../harness/tables.js';
import { typesAndValues, until } from '../changes/feed.js';
import { type Receiver, startReceiver } from './receiver.js';

/** Takes practically forever for `SLOW`. */
const filter = { title: { $regex: '^(x*)(x*)(x*)(x*)\\1\\2\\3\\4$' } };
const SLOW = 'x'.repeat(301);

async function appWith(statementTimeoutMs: number): Promise<TestApp> {
  const app = await startOwnApp({
    database: 'own',
    environment: {
      OUTBOUND_ALLOW_INSECURE_HOSTS: '127.0.0.1',
      DATABASE_STATEMENT_TIMEOUT_MS: String(statementTimeoutMs),
    },
  });
  onTestFinished(() => app.close());
  return app;
}

async function followed(app: TestApp, webhook: object = {}) {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const collection = await newCollection(app, await newHome(app), {
    properties: { title: { type: 'text' } },
  });
  const { id } = await succeed(app, collection, 'POST', '/webhooks', { url: receiver.url, ...webhook });
  return { collection, receiver, path: `/webhooks/${id}` };
}

const titles = ({ arrived }: Receiver) =>
  typesAndValues(
    arrived.flatMap(({ changes }) => changes),
    'title',
  ).map(([, title]) => title);

describe('a filter that takes too long', () => {
  it('for a single change switches its webhook off there, after the changes before it are delivered', async () => {
    const app = await appWith(2_000);
    const { collection, receiver, path } = await followed(app, { filter });
    const records = ['xx', 'yy', 'xxxx', SLOW, 'xxxxxx'].map(title => ({ title }));
    await insert(app, collection, ...records);
    await until(async () => (await succeed(app, collection, 'GET', path)).status === 'failing', 'the switch');
    await until(() => titles(receiver).length === 2, 'the changes before');
    expect(titles(receiver)).toEqual(['xx', 'xxxx']);
    expect((await eventsOf(app, collection)).at(-1)).toMatchObject({
      type: 'collections.webhooks.disabled',
      changes: { after: { status: 'failing' } },
    });
    await succeed(app, collection, 'PATCH', path, { filter: null, active: true });
    await until(() => titles(receiver).length === 4, 'the changes after');
    expect(titles(receiver)).toEqual(['xx', 'xxxx', SLOW, 'xxxxxx']);
  });

  it('does not delay the webhooks of other organizations', async () => {
    const app = await appWith(120_000);
    const slow = await followed(app, { filter });
    await insert(app, slow.collection, { title: SLOW });
    const running = () => statementsWithFilter(app, slow.collection);
    await until(async () => (await running()).length === 1, 'the slow statement');
    const [statement] = await running();
    onTestFinished(async () => {
      await succeed(app, slow.collection, 'DELETE', slow.path);
      await app.sql('SELECT pg_cancel_backend($1)', [statement.pid]);
    });
    const other = await followed(app);
    for (const title of ['a', 'b', 'c']) {
      await insert(app, other.collection, { title });
      await until(() => titles(other.receiver).at(-1) === title, `the change ${title}`);
    }
    expect(await running()).toEqual([statement]);
  });
});

/** The statements that have been examining changes of a collection's organization for half a second. */
function statementsWithFilter(app: TestApp, { orgId }: TestCollection) {
  return app.sql(
    `SELECT pid, query_start FROM pg_stat_activity
     WHERE state = 'active' AND query LIKE $1 AND clock_timestamp() - query_start > interval '500 milliseconds'`,
    [`%${schemaOf(orgId)}.record_feeds%`],
  );
}
