import { beforeAll, describe, expect, it } from 'vitest';
import { RecordExpiry } from '../../../src/features/records/expiry.service.js';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  expire,
  type Home,
  insert,
  newCollection,
  newHome,
  type TestCollection,
} from '../../harness/collection.js';
import type { Person } from '../auth/person.js';
import { ask, pulled, type SeenChange } from '../changes/feed.js';
import { newMember } from '../orgs/org.js';
import { grant, newGroup, withGroup } from '../sharing/sharing.js';
import { COLUMNS, type GrantParts, refusalOf, ruledMember } from './ruled.js';

const RED = { rules: { read: { team: 'red' } } };

describe('The feed of a caller whose grants have rules', () => {
  let app: TestApp;
  let home: Home;
  let orders: TestCollection;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    orders = await newCollection(app, home, { properties: COLUMNS });
  });

  const member = (parts: GrantParts, of = orders) => ruledMember(app, home, of, 'reader', parts);
  const as = (caller: Person, of = orders) => ({ ...of, owner: caller });
  const start = async (caller: Person | undefined = undefined, of = orders) =>
    (await ask(app, caller === undefined ? of : as(caller, of))).body.next_since as string;
  const patch = async (id: string | undefined, body: object, of = orders) =>
    expect((await app.request('PATCH', `${of.data}/${id}`, { ...home.owner, body })).status).toBe(200);
  const drop = (id: string | undefined, of = orders) => app.request('DELETE', `${of.data}/${id}`, home.owner);
  const kinds = (changes: readonly SeenChange[]) => changes.map(({ type, record_id }) => [type, record_id]);

  it('has the changes of records that the rule selects after the change, and `left` when it did before', async () => {
    const caller = await member(RED);
    const since = await start(caller);
    const [red, blue] = await insert(app, orders, { team: 'red', name: 'r' }, { team: 'blue', name: 'b' });
    await patch(blue, { name: 'b2' });
    await patch(red, { name: 'r2' });
    await patch(red, { team: 'blue', name: 'hidden' });
    await patch(red, { name: 'hidden too' });
    await patch(blue, { team: 'red' });
    await drop(red);
    await drop(blue);
    const changes = await pulled(app, as(caller), since);
    expect(kinds(changes)).toEqual([
      ['inserted', red],
      ['updated', red],
      ['left', red],
      ['updated', blue],
      ['deleted', blue],
    ]);
    const left = changes[2]!;
    expect(Object.keys(left).sort()).toEqual(['changed_at', 'id', 'record_id', 'type']);
    expect(JSON.stringify(changes)).not.toContain('hidden');
    expect(changes[3]!.record).toMatchObject({ team: 'red', name: 'b2' });
    expect(changes[4]!.record).toMatchObject({ team: 'red', name: 'b2' });
  });

  it('has `left` for the filter too, for others only with left=true', async () => {
    const caller = await member(RED);
    const since = { ruled: await start(caller), open: await start() };
    const [id] = await insert(app, orders, { team: 'red', amount: 1 });
    await patch(id, { amount: 5 });
    await patch(id, { amount: 2 });
    await patch(id, { amount: 1 });
    await patch(id, { amount: 5, team: 'blue' });
    const filter = { amount: { $gt: 3 } };
    const ruled = await pulled(app, as(caller), since.ruled, { filter });
    expect(kinds(ruled)).toEqual([
      ['updated', id],
      ['left', id],
    ]);
    const open = await pulled(app, orders, since.open, { filter });
    expect(kinds(open)).toEqual([
      ['updated', id],
      ['updated', id],
    ]);
    const withLeft = await pulled(app, orders, since.open, { filter, left: true });
    expect(kinds(withLeft)).toEqual([
      ['updated', id],
      ['left', id],
      ['updated', id],
    ]);
    expect(await pulled(app, orders, since.open, { left: true })).toHaveLength(5);
    const body = { since: since.open, filter, left: true };
    const posted = await app.request('POST', `${orders.path}/changes`, { ...home.owner, body });
    expect(kinds(posted.body.changes)).toEqual(kinds(withLeft));
  });

  it('tells what a flexible field was before: absent, null and removed are different', async () => {
    const caller = await member({ rules: { read: { mark: { $exists: true } } } });
    const since = await start(caller);
    const [id] = await insert(app, orders, { name: 'm' });
    await patch(id, { $set: { mark: null } });
    await patch(id, { $unset: { mark: 1 } });
    await patch(id, { $set: { mark: 3 } });
    await patch(id, { $rename: { mark: 'other' } });
    expect((await pulled(app, as(caller), since)).map(({ type, record }) => [type, record?.mark])).toEqual([
      ['updated', null],
      ['left', undefined],
      ['updated', 3],
      ['left', undefined],
    ]);
  });

  it('has updates of many records, each with what it replaced', async () => {
    const caller = await member({ rules: { read: { amount: { $lt: 50 } } } });
    const of = orders;
    const ids = await insert(
      app,
      of,
      ...Array.from({ length: 100 }, (_, amount) => ({ amount, status: 'many' })),
    );
    const since = await start(caller);
    const update = { filter: { status: 'many' }, update: { $inc: { amount: 10 } } };
    expect((await app.request('PATCH', of.data, { ...home.owner, body: update })).status).toBe(200);
    const changes = await pulled(app, as(caller), since);
    const types = new Map(changes.map(({ type, record_id }) => [record_id, type]));
    expect(ids.map(id => types.get(id))).toEqual([
      ...Array(40).fill('updated'),
      ...Array(10).fill('left'),
      ...Array(50).fill(undefined),
    ]);
  });

  it('hides fields: they are absent from records, and from records that another grant shows', async () => {
    const caller = await member({
      rules: { read: { team: 'red' } },
      fields: { read: { margin: 0, secret: 0 } },
    });
    const group = await newGroup(app, home.org, caller);
    const since = await start(caller);
    await insert(app, orders, { team: 'red', margin: 0.5, secret: 's', note: 'n' });
    const [change] = await pulled(app, as(caller), since);
    expect(change!.record).toMatchObject({ team: 'red', note: 'n' });
    expect(Object.keys(change!.record)).not.toContain('margin');
    expect(Object.keys(change!.record)).not.toContain('secret');
    for (const name of ['margin', 'secret', 'secret.x']) {
      const refused = await ask(app, as(caller), { since, filter: { [name]: 's' } });
      expect(refusalOf(refused)).toEqual([403, 'FieldForbidden', { fields: [name.split('.')[0]] }]);
      const fromNow = await ask(app, as(caller), { filter: { $or: [{ name: 'x' }, { [name]: 's' }] } });
      expect(fromNow.status).toBe(403);
    }
    expect(await pulled(app, as(caller), since, { filter: { $search: 's' } })).toEqual([]);
    // A second grant shows the fields of other records.
    await grant(app, orders, withGroup(home.org, group), 'reader');
    await app.sql(
      'UPDATE collection_bindings SET rules = $1 WHERE collection_id = $2 AND group_slug IS NOT NULL',
      [{ read: { team: 'blue' } }, orders.id],
    );
    const next = await start(caller);
    await insert(
      app,
      orders,
      { team: 'red', margin: 0.5, secret: 's' },
      { team: 'blue', margin: 0.7, secret: 's' },
    );
    const [red, blue] = await pulled(app, as(caller), next);
    expect([red!.record.margin, red!.record.secret]).toEqual([undefined, undefined]);
    expect([blue!.record.margin, blue!.record.secret]).toEqual([0.7, 's']);
    for (const filter of [{ secret: 's' }, { margin: { $gt: 0 } }, { margin: { $exists: true } }])
      expect((await pulled(app, as(caller), next, { filter })).map(({ record }) => record.team)).toEqual([
        'blue',
      ]);
    const absent = await pulled(app, as(caller), next, { filter: { margin: { $exists: false } } });
    expect(absent.map(({ record }) => record.team)).toEqual(['red']);
  });

  it('has `left` for a filter on a field that the caller no longer sees', async () => {
    const caller = await member({ rules: { read: true }, fields: { read: { name: 1, status: 1 } } });
    const group = await newGroup(app, home.org, caller);
    const of = await newCollection(app, home, { properties: COLUMNS });
    const both = await member({ rules: { read: true }, fields: { read: { name: 1, status: 1 } } }, of);
    await app.request('POST', `${home.org.path}/groups/${group}/members`, {
      ...home.org.owner,
      body: { users: [{ userId: both.userId }] },
    });
    await grant(app, of, withGroup(home.org, group), 'reader');
    await app.sql(
      'UPDATE collection_bindings SET rules = $1 WHERE collection_id = $2 AND group_slug IS NOT NULL',
      [{ read: { status: 'open' } }, of.id],
    );
    const since = await start(both, of);
    const [id] = await insert(app, of, { name: 'x', status: 'open', margin: 1 });
    await patch(id, { status: 'shut' }, of);
    const changes = await pulled(app, as(both, of), since, { filter: { margin: 1 } });
    expect(kinds(changes)).toEqual([
      ['inserted', id],
      ['left', id],
    ]);
  });

  it('has expired records whose last version was seen, and `left` for every erased one', async () => {
    const of = await newCollection(app, home, { properties: COLUMNS });
    const caller = await member(RED, of);
    const since = { ruled: await start(caller, of), open: await start(undefined, of) };
    const [red, blue] = await insert(app, of, { team: 'red' }, { team: 'blue' });
    await expire(app, of, red!, blue!);
    await app.nest.get(RecordExpiry).removeAll(new AbortController().signal);
    const expired = await pulled(app, as(caller, of), since.ruled);
    expect(kinds(expired).at(0)).toEqual(['inserted', red]);
    expect(kinds(expired).at(-1)).toEqual(['expired', red]);
    expect(kinds(expired).filter(([, id]) => id === blue)).toEqual([]);
    const [first, second] = await insert(app, of, { team: 'red', name: 'e1' }, { team: 'blue', name: 'e2' });
    const at = await start(caller, of);
    for (const id of [first, second]) {
      const erased = await app.request('DELETE', `${of.data}/${id}?erase=true`, home.owner);
      expect([erased.status, erased.text]).toEqual([200, expect.anything()]);
    }
    const after = await pulled(app, as(caller, of), at);
    expect(kinds(after)).toEqual([
      ['left', first],
      ['left', second],
    ]);
    const open = await pulled(app, of, since.open);
    expect(open.slice(-2).map(({ type, record }) => [type, record])).toEqual([
      ['deleted', { _id: first }],
      ['deleted', { _id: second }],
    ]);
  });

  it('names authors in rules, before and after', async () => {
    const caller = await member({ rules: { read: { _updated_by: '${caller.id}' } } });
    const other = await member({ rules: { read: true } });
    const since = await start(caller);
    const [id] = await insert(app, orders, { name: 'mine' });
    const by = (userId: string) =>
      app.sql(`UPDATE ${orders.table} SET updated_by = $1, updated_at = now() WHERE _id = $2`, [userId, id]);
    await by(caller.userId);
    await by(other.userId);
    expect(kinds(await pulled(app, as(caller), since))).toEqual([
      ['updated', id],
      ['left', id],
    ]);
    expect((await ask(app, as(caller), { filter: { _created_by: caller.userId } })).status).toBe(200);
  });

  it('shows nothing to members without a grant', async () => {
    const stranger = await newMember(app, home.org);
    expect((await ask(app, as(stranger))).status).toBe(404);
  });
});
