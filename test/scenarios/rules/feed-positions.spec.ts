import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Home, insert, newCollection, newHome, type TestCollection } from '../../harness/collection.js';
import type { Person } from '../auth/person.js';
import { ask, pulled, type SeenChange } from '../changes/feed.js';
import { newGroup } from '../sharing/sharing.js';
import { COLUMNS, type GrantParts, refusalOf, regrant, ruledMember } from './ruled.js';

const RED = { rules: { read: { team: 'red' } } };

describe('The feed of a caller whose grants have rules: time, positions and triggers', () => {
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
  const kinds = (changes: readonly SeenChange[]) => changes.map(({ type, record_id }) => [type, record_id]);

  it('evaluates rules with the time of the read', async () => {
    const caller = await member({ rules: { read: { at: { $lte: '${now}' } } } });
    const since = await start(caller);
    const [past] = await insert(app, orders, { at: '2020-01-01T00:00:00Z' }, { at: '2120-01-01T00:00:00Z' });
    expect(kinds(await pulled(app, as(caller), since))).toEqual([['inserted', past]]);
    expect(kinds(await pulled(app, as(caller), since))).toEqual([['inserted', past]]);
  });

  it('tells nothing about a record whose values before an update are not known', async () => {
    const caller = await member(RED);
    const [id] = await insert(app, orders, { team: 'red', name: 'old' });
    const since = await start(caller);
    await patch(id, { team: 'blue' });
    await app.sql(
      `UPDATE ${orders.table.split('.')[0]}.record_changes SET replaced = NULL WHERE record_id = $1`,
      [id],
    );
    expect(await pulled(app, as(caller), since)).toEqual([]);
    await patch(id, { team: 'red' });
    expect(kinds(await pulled(app, as(caller), since))).toEqual([['updated', id]]);
  });

  it('resets positions when its rules, fields or variables change, and not when those of others do', async () => {
    const caller = await member({ rules: { read: { team: { $in: '${user.groups}' } } } });
    const other = await member(RED);
    const since = await start(caller);
    const theirs = await start(other);
    await insert(app, orders, { team: 'red' });
    await regrant(app, orders, other, { rules: { read: { team: 'blue' } } });
    expect((await ask(app, as(caller), { since })).status).toBe(200);
    expect(refusalOf(await ask(app, as(other), { since: theirs })).slice(0, 2)).toEqual([
      410,
      'PositionReset',
    ]);
    await newGroup(app, home.org, caller);
    const reset = await ask(app, as(caller), { since });
    expect(refusalOf(reset)).toEqual([410, 'PositionReset', undefined]);
    const next = await start(caller);
    await regrant(app, orders, caller, {
      rules: { read: { team: { $in: '${user.groups}' } } },
      fields: { read: { name: 0 } },
    });
    expect((await ask(app, as(caller), { since: next })).status).toBe(410);
  });

  it('refuses positions of the other kind, of other callers and of other collections', async () => {
    const caller = await member(RED);
    const ruled = await start(caller);
    const open = await start();
    expect((await ask(app, orders, { since: ruled })).status).toBe(410);
    expect((await ask(app, as(caller), { since: open })).status).toBe(410);
    const twin = await member(RED);
    expect((await ask(app, as(twin), { since: ruled })).status).toBe(200);
    const of = await newCollection(app, home, { properties: COLUMNS });
    const there = await member(RED, of);
    expect((await ask(app, as(there, of), { since: ruled })).status).toBe(400);
    const altered = `${ruled.startsWith('A') ? 'B' : 'A'}${ruled.slice(1)}`;
    expect((await ask(app, as(caller), { since: altered })).status).toBe(400);
  });

  it('has positions that do not tell how many hidden records were written', async () => {
    const caller = await member(RED);
    const texts = new Set<string>();
    for (let n = 0; n < 4; n++) {
      texts.add(await start(caller));
      await insert(app, orders, { team: 'blue' });
    }
    expect(texts.size).toBe(4);
    // Neighbouring positions have no bytes in common: the numbers are encrypted.
    const [first, ...others] = [...texts].map(text => Buffer.from(text, 'base64url'));
    for (const other of others) {
      const equal = [...first!].filter((byte, at) => other[at] === byte).length;
      expect(equal).toBeLessThan(8);
      expect(other.length).toBe(first!.length);
    }
  });

  it('begins a feed that records everything, whoever asks first', async () => {
    const of = await newCollection(app, home, { properties: COLUMNS });
    const caller = await member({ ...RED, fields: { read: { team: 1 } } }, of);
    await start(caller, of);
    const since = await start(undefined, of);
    await insert(app, of, { team: 'blue', name: 'all', margin: 2, note: 'n' });
    expect((await pulled(app, of, since))[0]!.record).toMatchObject({ name: 'all', margin: 2, note: 'n' });
  });

  it('renews triggers of an earlier version with the next read', async () => {
    const of = await newCollection(app, home, { properties: COLUMNS });
    const caller = await member(RED, of);
    const since = await start(caller, of);
    const [id] = await insert(app, of, { team: 'red' });
    const name = `follow_${of.id.replaceAll('-', '')}`;
    await app.sql(`CREATE OR REPLACE TRIGGER follow_update AFTER UPDATE ON ${of.table} REFERENCING NEW TABLE AS written
      FOR EACH STATEMENT EXECUTE FUNCTION ${of.table.split('.')[0]}.${name}()`);
    await patch(id, { team: 'blue' }, of);
    expect(kinds(await pulled(app, as(caller, of), since))).toEqual([['inserted', id]]);
    await patch(id, { team: 'red' }, of);
    await patch(id, { team: 'blue' }, of);
    expect(kinds(await pulled(app, as(caller, of), since)).slice(1)).toEqual([
      ['updated', id],
      ['left', id],
    ]);
  });
});
