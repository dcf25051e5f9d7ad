import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Home, newHome } from '../../harness/collection.js';
import { refusalOf, ruledCollection, ruledMember } from './ruled.js';

describe('The history of records under rules', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });

  const kept = () => ruledCollection(app, home, { settings: { history_days: 7 } });

  it('shows the versions for which the read rule holds, without hidden fields', async () => {
    const orders = await kept();
    const caller = await ruledMember(app, home, orders, 'reader', {
      rules: { read: { status: 'draft' } },
      fields: { read: { margin: 0, secret: 0, _updated_by: 0 } },
    });
    const path = `${orders.data}/${orders.ids.a}`;
    const set = (fields: object) => app.request('PATCH', path, { ...orders.owner, body: { $set: fields } });
    await set({ amount: 2, margin: 5 });
    await set({ status: 'hidden', amount: 3 });
    await set({ status: 'draft', amount: 4 });
    const { status, body } = await app.request('GET', `${path}/history`, caller);
    expect(status).toBe(200);
    expect(body.items.map(({ version }: { version: number }) => version)).toEqual([4, 2, 1]);
    for (const { record, changed, actor, event_id, correlation_id } of body.items) {
      expect(Object.keys(record)).not.toContain('margin');
      expect(Object.keys(record)).not.toContain('secret');
      expect(changed).not.toContain('margin');
      expect([actor, event_id, correlation_id]).toEqual([null, null, null]);
    }
    // The version before was not seen, so all fields count as changed.
    expect(body.items[0].changed).toEqual([
      'amount',
      'at',
      'due',
      'info',
      'name',
      'note',
      'status',
      'tags',
      'team',
    ]);
    expect(body.items[1].changed).toEqual(['amount']);
    await set({ status: 'hidden' });
    const now = await app.request('GET', path, caller);
    expect(now.status).toBe(404);
    const later = await app.request('GET', `${path}/history`, caller);
    expect(later.body.items.map(({ version }: { version: number }) => version)).toEqual([4, 2, 1]);
    const of = await app.request('GET', `${orders.data}/${orders.ids.b}/history`, caller);
    expect(refusalOf(of)).toEqual([404, 'RecordNotFound', undefined]);
  });

  it('shows a deletion if the last version was seen', async () => {
    const orders = await kept();
    const caller = await ruledMember(app, home, orders, 'reader', { rules: { read: { status: 'draft' } } });
    for (const name of ['a', 'b'])
      await app.request('DELETE', `${orders.data}/${orders.ids[name]}`, orders.owner);
    const of = (name: string) => app.request('GET', `${orders.data}/${orders.ids[name]}/history`, caller);
    const { body } = await of('a');
    expect(body.items.map(({ operation }: { operation: string }) => operation)).toEqual([
      'deleted',
      'inserted',
    ]);
    expect((await of('b')).status).toBe(404);
  });

  it('applies the rules of now to the records of then', async () => {
    const orders = await kept();
    const caller = await ruledMember(app, home, orders, 'reader', {
      rules: { read: { status: 'draft' } },
      fields: { read: { margin: 0 } },
    });
    const [{ now }] = await app.sql('SELECT clock_timestamp() AS now');
    await app.request('PATCH', `${orders.data}/${orders.ids.a}`, {
      ...orders.owner,
      body: { $set: { status: 'done' } },
    });
    const { status, body } = await app.request('POST', `${orders.data}/query`, {
      ...caller,
      body: { as_of: new Date(now).toISOString(), sort: { name: 1 } },
    });
    expect([status, body.records?.map(({ name }: { name: string }) => name)]).toEqual([200, ['a', 'c', 'd']]);
    expect(JSON.stringify(body)).not.toContain('margin');
  });

  it('undoes own writes that the rules allow, and lists the others as forbidden', async () => {
    const orders = await kept();
    const caller = await ruledMember(app, home, orders, 'editor', {
      rules: {
        read: { team: { $in: ['red', 'blue'] } },
        create: { status: 'draft' },
        update: { status: 'draft' },
        becomes: { team: { $exists: true } },
        delete: { amount: { $gte: 100 } },
      },
    });
    const send = async (method: string, below: string, body?: unknown) => {
      const answer = await app.request(method, `${orders.path}${below}`, {
        ...caller,
        ...(body !== undefined && { body }),
      });
      return answer;
    };
    const eventOf = async (correlation: string) => ({ correlation_id: correlation });
    const writing = async (method: string, below: string, body: unknown) => {
      const { status, headers } = await send(method, below, body);
      expect(status).toBeLessThan(300);
      return headers.get('x-correlation-id') as string;
    };
    const updated = await writing('PATCH', `/data/${orders.ids.a}`, { $set: { amount: 7 } });
    const undone = await send('POST', '/undo', await eventOf(updated));
    expect([undone.status, undone.body]).toEqual([
      200,
      expect.objectContaining({ undone: 1, conflicts: [] }),
    ]);
    const inserted = await writing('POST', '/data', {
      records: { name: 'new', team: 'red', status: 'draft' },
    });
    const refused = await send('POST', '/undo', await eventOf(inserted));
    expect(refusalOf(refused)).toEqual([
      409,
      'UndoConflict',
      [{ record_id: expect.any(String), reason: 'forbidden', event_id: null }],
    ]);
    const forced = await send('POST', '/undo', { ...(await eventOf(inserted)), on_conflict: 'force' });
    expect([forced.status, forced.body.error]).toEqual([403, 'RuleRefused']);
    const moved = await writing('PATCH', `/data/${orders.ids.c}`, { $set: { team: 'green' } });
    const unseen = await send('POST', '/undo', { ...(await eventOf(moved)), on_conflict: 'skip' });
    expect(unseen.body).toMatchObject({
      undone: 0,
      conflicts: [{ record_id: orders.ids.c, reason: 'forbidden', event_id: null }],
    });
  });
});
