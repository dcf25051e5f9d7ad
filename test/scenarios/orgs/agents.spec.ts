import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { events, newKey, newMember, newOrg, newSlug, type TestOrg } from './org.js';

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app);
});

const create = (token: string, slug = newSlug()) =>
  app.request('POST', `${org.path}/agents`, { token, body: { slug, name: 'Importer' } });

describe('the agents of an organization', () => {
  it('are registered, renamed, listed and deleted, with an event each', async () => {
    const { token } = org.owner;
    const { status, body } = await create(token);
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(['id', 'slug', 'name', 'createdAt', 'updatedAt']);
    const path = `${org.path}/agents/${body.id}`;
    const renamed = await app.request('PATCH', path, { token, body: { name: 'Exporter' } });
    expect(renamed.body).toMatchObject({ id: body.id, slug: body.slug, name: 'Exporter' });
    const list = await app.request('GET', `${org.path}/agents`, { token });
    expect(list.body.results).toContainEqual(renamed.body);
    expect((await app.request('DELETE', path, { token })).body).toEqual({ success: true });
    expect((await app.request('DELETE', path, { token })).status).toBe(404);
    const logged = await events(app, org, 'orgs.agents.');
    expect(logged.filter(event => event.target.id === body.id).map(event => event.type)).toEqual([
      'orgs.agents.created',
      'orgs.agents.updated',
      'orgs.agents.deleted',
    ]);
  });

  it('have unique slugs, and are managed only with the permission', async () => {
    const { body } = await create(org.owner.token);
    expect((await create(org.owner.token, body.slug)).status).toBe(409);
    const { token } = await newMember(app, org);
    expect((await create(token)).status).toBe(403);
    expect((await app.request('GET', `${org.path}/agents`, { token })).status).toBe(200);
  });

  it('are not found by callers of another organization', async () => {
    const { body } = await create(org.owner.token);
    const other = await newOrg(app);
    const { token } = other.owner;
    expect((await app.request('DELETE', `${other.path}/agents/${body.id}`, { token })).status).toBe(404);
  });

  it('cannot be deleted while they own collections; their keys are deleted with them', async () => {
    const { token } = org.owner;
    const { body: agent } = await create(token);
    const { id, apiKey } = await newKey(app, org, { ownerType: 'agent', ownerId: agent.id });
    const made = await app.request('POST', '/v1/collections', { key: apiKey, body: { name: 'notes' } });
    expect(made.body).toMatchObject({ owner_type: 'agent', owner_id: agent.id });
    const path = `${org.path}/agents/${agent.id}`;
    const refused = await app.request('DELETE', path, { token });
    expect([refused.status, refused.body.error]).toEqual([409, 'Conflict']);
    await app.request('DELETE', `/v1/collections/${made.body.collection_id}`, { key: apiKey });
    expect((await app.request('DELETE', path, { token })).status).toBe(200);
    expect((await app.request('GET', '/v1/collections', { key: apiKey })).status).toBe(401);
    expect((await events(app, org, 'orgs.apikeys.revoked')).at(-1)?.target.id).toBe(id);
  });
});
