import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../app/app.js';
import {
  EVERY_TYPE,
  eventsOf,
  type Home,
  newCollection,
  newHome,
  newTypedCollection,
} from '../../builders/collection.js';

describe('GET /v1/collections/{collection_id}', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });

  it('returns exactly the documented fields of a collection, with the defaults of its creation', async () => {
    const { path, id, name } = await newCollection(app, home);
    const { status, body } = await app.request('GET', path, home.owner);
    expect(status).toBe(200);
    expect(body).toEqual({
      collection_id: id,
      name,
      description: null,
      owner_id: home.org.owner.userId,
      owner_type: 'user',
      agent_ids: [],
      orgSlug: home.org.slug,
      settings: { ttl_days: 0, max_records: 10_000 },
      schema: {},
      indexes: [],
      uniques: [],
      charts: [],
      row_count: null,
      status: 'ready',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: body.created_at,
    });
  });

  it('returns every type of column under the name with which it was declared', async () => {
    const { path } = await newTypedCollection(app, home);
    const { body } = await app.request('GET', path, home.owner);
    expect(body.schema).toEqual(
      Object.fromEntries(
        Object.entries(EVERY_TYPE).map(([name, { type }]) => [name, { type, nullable: true }]),
      ),
    );
  });

  it('finds the collection by its id in capital letters', async () => {
    const { id } = await newCollection(app, home);
    const { body } = await app.request('GET', `/v1/collections/${id.toUpperCase()}`, home.owner);
    expect(body.collection_id).toBe(id);
  });

  it('writes no event', async () => {
    const collection = await newCollection(app, home);
    await app.request('GET', collection.path, home.owner);
    expect((await eventsOf(app, collection)).map(event => event.type)).toEqual(['collections.created']);
  });
});
