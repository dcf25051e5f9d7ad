import { beforeAll, describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../app/app.js';

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { content: Record<string, { example?: unknown; schema: { example?: unknown } }> };
}

interface Description {
  readonly paths: Record<string, Record<string, Operation>>;
}

let app: TestApp;
let description: Description;
const ids: Record<string, string> = {};

/** The example of an operation's body, as Swagger UI puts it into the form. */
function exampleOf(operationId: string): { method: string; path: string; body: unknown } {
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.operationId !== operationId) continue;
      const [media] = Object.values(operation.requestBody?.content ?? {});
      return { method: method.toUpperCase(), path, body: media?.example ?? media?.schema.example };
    }
  }
  throw new Error(`no operation ${operationId}`);
}

/** Sends the example of an operation, with the ids that the examples before it have made. */
async function sendExample(operationId: string) {
  const { method, path, body } = exampleOf(operationId);
  expect(body, `${operationId} has an example`).toBeDefined();
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] as string);
  return app.request(method, filled, { body, token: app.bootstrap.accessToken });
}

beforeAll(async () => {
  app = await startOwnApp({ database: 'own' });
  description = (await app.request('GET', '/openapi.json')).body;
  ids.orgSlug = app.bootstrap.orgSlug;
  return () => app.close();
});

describe('the examples in Swagger UI can be sent as they are', () => {
  it('from a collection to its records, figures and keys', async () => {
    const created = await sendExample('createCollection');
    expect(created.status).toBe(200);
    ids.collection_id = created.body.collection_id;
    const inserted = await sendExample('insertRecords');
    expect(inserted.status).toBe(200);
    ids.record_id = inserted.body.ids[0];
    const key = await sendExample('createApiKey');
    expect(key.status).toBe(201);
    ids.key_id = key.body.id;
    const sent = [
      'bulkInsertRecords',
      'searchRecords',
      'aggregateRecords',
      'updateRecord',
      'askCollection',
      'suggestSchema',
      'rotateApiKey',
      'updateCollection',
    ];
    for (const operationId of sent) {
      const answer = await sendExample(operationId);
      expect([operationId, answer.status, answer.status < 300 ? '' : answer.text]).toEqual([
        operationId,
        answer.status,
        '',
      ]);
    }
  });

  it('in the organization', async () => {
    for (const operationId of [
      'createOrg',
      'createOrgRole',
      'createOrgAgent',
      'addOrgMembers',
      'createOrgInvite',
      'mintOrgApiKey',
      'createServiceAccount',
    ]) {
      const { status } = await sendExample(operationId);
      expect([operationId, status]).toEqual([operationId, 201]);
    }
    ids.slug = 'nightly-import';
    for (const operationId of ['updateServiceAccount', 'updateOrg']) {
      const { status } = await sendExample(operationId);
      expect([operationId, status]).toEqual([operationId, 200]);
    }
  });

  it('where an example cannot hold the secret that is asked for', async () => {
    const sent = ['validateOrgApiKey', 'mintServiceAccountToken', 'joinOrg'].map(sendExample);
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([401, 401, 404]);
  });

  it('in a workspace', async () => {
    const created = await sendExample('createWorkspace');
    expect(created.status).toBe(201);
    ids.workspaceId = created.body.id;
    const key = await sendExample('mintWorkspaceApiKey');
    expect(key.status).toBe(201);
    ids.id = key.body.id;
    const sent = [
      'updateWorkspace',
      'updateWorkspaceApiKey',
      'replaceWorkspaceSecurity',
      'grantWorkspacePermission',
      'checkWorkspacePermission',
    ];
    for (const operationId of sent) {
      const { status, text } = await sendExample(operationId);
      expect([operationId, status < 300 ? '' : text]).toEqual([operationId, '']);
    }
  });

  it('this year and in many: none ends on a day that comes soon', () => {
    const text = JSON.stringify(description);
    const ofBodies = text.matchAll(/"expires_?[aA]t":("[^"]+"|\d+)/g);
    const ofFields = text.matchAll(/"expires_?[aA]t":\{[^{}]*"example":("[^"]+"|\d+)/g);
    const ends = [...ofBodies, ...ofFields].map(([, end]) => JSON.parse(end as string));
    expect(ends.length).toBeGreaterThan(4);
    for (const end of ends) {
      const seconds = typeof end === 'number' ? end : Date.parse(end) / 1000;
      expect([end, seconds > Date.parse('2098-12-31') / 1000]).toEqual([end, true]);
    }
  });
});
