import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Home, newHome } from '../../harness/collection.js';
import { refusalOf, ruledCollection, ruledMember, seen } from './ruled.js';

describe('A caller whose grants have rules and fields', () => {
  let app: TestApp;
  let home: Home;
  let orders: Awaited<ReturnType<typeof ruledCollection>>;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    orders = await ruledCollection(app, home);
  });

  const names = (records: Record<string, unknown>[]) => records.map(({ name }) => name);

  it('sees the records for which the read rule of one grant holds, at every exit that reads', async () => {
    const caller = await ruledMember(app, home, orders, 'reader', { rules: { read: { team: 'red' } } });
    expect(names(await seen(app, orders, caller))).toEqual(['a', 'b']);
    const get = (path: string) => app.request('GET', `${orders.data}${path}`, caller);
    expect((await get('/count')).body).toMatchObject({ count: 2 });
    expect((await get('/distinct?field=team')).body.values).toEqual(['red']);
    expect((await get(`/${orders.ids.a}`)).status).toBe(200);
    expect(refusalOf(await get(`/${orders.ids.c}`))).toEqual([404, 'RecordNotFound', undefined]);
    const sums = await app.request('POST', `${orders.data}/aggregate`, {
      ...caller,
      body: { steps: [{ type: 'sum', input_field: 'amount', output_field: 'total' }] },
    });
    expect([sums.status, JSON.stringify(sums.body)]).toEqual([200, expect.stringContaining('"total":3')]);
    const exported = await app.request('GET', `${orders.path}/export?format=ndjson`, caller);
    expect(exported.text).toMatch(/"a".*\n.*"b"/);
    expect(exported.text).not.toMatch(/"c"|blue|green/);
  });

  it('does not see hidden fields: they are absent from answers, and their names are refused everywhere', async () => {
    const caller = await ruledMember(app, home, orders, 'reader', {
      rules: { read: true },
      fields: { read: { margin: 0, secret: 0 } },
    });
    const records = await seen(app, orders, caller);
    expect(records).toHaveLength(5);
    for (const record of records) expect(Object.keys(record)).not.toContain('margin');
    for (const record of records) expect(Object.keys(record)).not.toContain('secret');
    expect(records[0]).toMatchObject({ name: 'a', note: 'n1' });
    const query = (body: object) => app.request('POST', `${orders.data}/query`, { ...caller, body });
    const forbidden = (...fields: string[]) => [403, 'FieldForbidden', { fields }];
    for (const name of ['margin', 'secret']) {
      expect(refusalOf(await query({ filter: { [name]: 1 } }))).toEqual(forbidden(name));
      expect(
        refusalOf(await query({ filter: { $or: [{ name: 'a' }, { $nor: [{ [`${name}.x`]: 1 }] }] } })),
      ).toEqual(forbidden(name));
      expect(refusalOf(await query({ sort: { [name]: 1 } }))).toEqual(forbidden(name));
      expect(refusalOf(await query({ fields: { name: 1, [name]: 1 } }))).toEqual(forbidden(name));
      const distinct = await app.request('GET', `${orders.data}/distinct?field=${name}`, caller);
      expect(refusalOf(distinct)).toEqual(forbidden(name));
      const groups = await app.request('POST', `${orders.data}/aggregate`, {
        ...caller,
        body: { group_by: [name], steps: [{ type: 'count', output_field: 'n' }] },
      });
      expect(refusalOf(groups)).toEqual(forbidden(name));
    }
    expect((await query({ fields: { margin: 0 } })).status).toBe(200);
    const search = await query({ filter: { $search: 's1' } });
    expect([search.status, search.body.records]).toEqual([200, []]);
    const csv = await app.request('GET', `${orders.path}/export?format=csv`, caller);
    expect(csv.text.split('\r\n')[0]).not.toMatch(/margin|secret/);
  });

  it('refuses a name outside of a list of 1 whether or not such a field exists', async () => {
    const caller = await ruledMember(app, home, orders, 'reader', {
      rules: { read: true },
      fields: { read: { name: 1, note: 1 } },
    });
    expect(Object.keys((await seen(app, orders, caller))[0]!).sort()).toEqual(
      ['_id', 'created_at', 'updated_at', 'name', 'note'].sort(),
    );
    const refusals = await Promise.all(
      ['margin', 'nothing', 'secret'].map(name =>
        app.request('POST', `${orders.data}/query`, { ...caller, body: { filter: { [name]: 1 } } }),
      ),
    );
    expect(refusals.map(refusalOf)).toEqual(
      ['margin', 'nothing', 'secret'].map(name => [403, 'FieldForbidden', { fields: [name] }]),
    );
  });

  it('sees a field only in the records for which a grant that shows it holds', async () => {
    const caller = await ruledMember(app, home, orders, 'reader', {
      rules: { read: { team: 'red' } },
    });
    await app.request('POST', `${orders.path}/access`, {
      ...orders.owner,
      body: {
        principal_type: 'org',
        principal_id: home.org.slug,
        role: 'reader',
        rules: { read: { status: 'draft' } },
        fields: { read: { margin: 0, secret: 0, due: 0, tags: 0, info: 0 } },
      },
    });
    const records = await seen(app, orders, caller);
    expect(names(records)).toEqual(['a', 'b', 'c', 'd']);
    const shown = (name: string) => records.map(record => name in record);
    for (const name of ['margin', 'due', 'tags', 'info'])
      expect(shown(name)).toEqual([true, true, false, false]);
    expect(shown('secret')).toEqual([true, true, false, false]);
    const found = async (filter: object) => names(await seen(app, orders, caller, { filter }));
    for (const name of ['margin', 'due', 'tags', 'info', 'secret'])
      expect([name, await found({ [name]: { $exists: false } })]).toEqual([name, ['c', 'd']]);
    expect(await found({ margin: { $gt: 0 } })).toEqual(['a', 'b']);
    expect(await found({ margin: null })).toEqual(['c', 'd']);
    expect(await found({ due: { $type: 'null' } })).toEqual(['b']);
    expect(await found({ info: { $type: 'null' } })).toEqual(['b']);
    expect(await found({ 'info.k': 2 })).toEqual([]);
    expect(await found({ secret: { $regex: 's' } })).toEqual(['a', 'b']);
    const distinct = await app.request('GET', `${orders.data}/distinct?field=margin`, caller);
    expect(distinct.body.values).toEqual([0.1, 0.2]);
    const sorted = await seen(app, orders, caller, {
      sort: { margin: -1, name: 1 },
      fields: ['name', 'margin'],
    });
    expect(names(sorted)).toEqual(['b', 'a', 'c', 'd']);
    expect(sorted[2]).not.toHaveProperty('margin');
    await app.request('DELETE', `${orders.path}/access/org/${home.org.slug}`, orders.owner);
  });
});
