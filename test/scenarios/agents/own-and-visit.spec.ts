import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { eventsOf, newCollection, newName, outcome } from '../../harness/collection.js';
import { newMember, newOrg, type TestOrg } from '../orgs/org.js';
import { NOTHING, newAgent, reach, SHARES, WRITES } from '../sharing/sharing.js';

let app: TestApp;
let org: TestOrg;
let owner: { token: string };
beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app);
  owner = { token: org.owner.token };
});

describe('an agent', () => {
  it('owns collections that it creates with its key', async () => {
    const { id, key } = await newAgent(app, org);
    const notes = await newCollection(app, { org, owner: { key } });
    const { body } = await app.request('GET', notes.path, { key });
    expect(body).toMatchObject({ owner_type: 'agent', owner_id: id, agent_ids: [] });
    expect(await reach(app, notes, { key })).toEqual(SHARES);
    const [created] = await eventsOf(app, notes);
    expect(created?.actor).toEqual({ type: 'agent', id, via: 'rest' });
    expect((await app.request('DELETE', notes.path, { key })).body).toMatchObject({ deleted: true });
  });

  it('is editor of collections that name it in agent_ids, and has no access to others', async () => {
    const [named, other] = [await newAgent(app, org), await newAgent(app, org)];
    const notes = await newCollection(app, { org, owner }, { agent_ids: [named.id] });
    expect(await reach(app, notes, named)).toEqual(WRITES);
    expect(await reach(app, notes, other)).toEqual(NOTHING);
  });

  it('has only the permissions of its key', async () => {
    const { id, key } = await newAgent(app, org, ['collections:read']);
    const notes = await newCollection(app, { org, owner }, { agent_ids: [id] });
    expect(await reach(app, notes, { key })).toEqual([200, 403, 403]);
    const made = await app.request('POST', '/v1/collections', { key, body: { name: newName() } });
    expect(outcome(made)).toEqual([403, 'Forbidden']);
  });

  it('is hidden from members and visible to admins of the organization', async () => {
    const { key } = await newAgent(app, org);
    const notes = await newCollection(app, { org, owner: { key } });
    expect(await reach(app, notes, await newMember(app, org))).toEqual(NOTHING);
    expect(await reach(app, notes, await newMember(app, org, 'admin'))).toEqual(SHARES);
  });

  it('may use any collection name that is not among its own: names are unique per owner', async () => {
    const [one, other] = [await newAgent(app, org), await newAgent(app, org)];
    const body = { name: newName() };
    const callers = [
      owner,
      { token: (await newMember(app, org)).token },
      { key: one.key },
      { key: other.key },
    ];
    for (const caller of callers) {
      expect((await app.request('POST', '/v1/collections', { ...caller, body })).status).toBe(200);
      const again = await app.request('POST', '/v1/collections', { ...caller, body });
      expect(outcome(again)).toEqual([409, 'AlreadyExists']);
    }
  });

  it('of another organization has no access', async () => {
    const foreign = await newAgent(app, await newOrg(app));
    const notes = await newCollection(app, { org, owner });
    const body = { agent_ids: [foreign.id] };
    expect(outcome(await app.request('PATCH', notes.path, { ...owner, body }))).toEqual([
      400,
      'InvalidArguments',
    ]);
    expect(await reach(app, notes, foreign)).toEqual(NOTHING);
  });
});
