import { beforeAll, describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp, type TestResponse } from '../harness/app.js';
import { ApiDescription, type Operation } from './api-description.js';

type Ids = Record<string, string>;
type Keep = (body: TestResponse['body'], response: TestResponse) => Ids;

const keepId =
  (name: string): Keep =>
  body => ({ [name]: body.id });

/**
 * Every operation in an order in which a newcomer could try them, and the values of its answer that later
 * operations need.
 */
const STEPS: readonly (readonly [operationId: string, keep?: Keep, ids?: Ids])[] = [
  ['getRoot'],
  ['live'],
  ['ready'],
  ['getDiscovery'],
  ['getProtectedResource'],
  ['listSigningKeys'],
  ['listLoginProviders'],
  ['registerClient'],
  ['endSession'],
  ['getFeatures'],
  ['getMe', body => ({ userId: body.id })],
  ['listSessions'],
  ['listApplications'],
  ['listOwnInvitations'],
  ['mintAccessToken', body => ({ access_token_id: body._id })],
  ['listAccessTokens'],
  ['listOrgs'],
  ['createOrg'],
  ['getOrg'],
  ['updateOrg'],
  ['createOrgRole'],
  ['listOrgRoles'],
  ['updateOrgRole'],
  ['createOrgGroup'],
  ['listOrgGroups'],
  ['getOrgGroup'],
  ['updateOrgGroup'],
  ['addOrgGroupMembers'],
  ['listOrgGroupMembers'],
  ['createOrgAgent', keepId('agent_id')],
  ['listOrgAgents'],
  ['updateOrgAgent'],
  ['addOrgMembers'],
  ['listOrgMembers'],
  ['createOrgInvite', keepId('code')],
  ['listOrgInvites'],
  ['mintOrgApiKey', keepId('keyId')],
  ['listOrgApiKeys'],
  ['getOrgApiKey'],
  ['updateOrgApiKey'],
  ['rotateOrgApiKey'],
  ['createServiceAccount'],
  ['listServiceAccounts'],
  ['updateServiceAccount'],
  ['rotateServiceAccount'],
  ['createSsoProvider'],
  ['listSsoProviders'],
  ['getSsoProvider'],
  ['replaceSsoProvider'],
  ['addOrgDomain'],
  ['listOrgDomains'],
  ['listOrgAuditEvents'],
  ['listOrgAuditCheckpoints'],
  ['suggestSchema'],
  ['createCollection', body => ({ collection_id: body.collection_id })],
  ['listCollections'],
  ['getCollection'],
  ['getCollection', undefined, { collection_id: 'customers' }],
  ['insertRecords', body => ({ record_id: body.ids[0] })],
  ['bulkInsertRecords'],
  ['batchRecords'],
  ['upsertRecord'],
  ['importRecords'],
  ['exportRecords'],
  ['exportRecordsByBody'],
  ['queryRecords'],
  ['explainQuery'],
  ['listAdvice'],
  ['searchRecords'],
  ['getRecord'],
  ['getRecordHistory'],
  ['undoWrites'],
  ['updateRecord'],
  ['updateRecords'],
  ['countRecords'],
  ['countRecordsByBody'],
  ['distinctValues'],
  ['distinctValuesByBody'],
  ['aggregateRecords'],
  ['askCollection'],
  ['mcp'],
  ['mcpOfCollection'],
  ['listChanges'],
  ['listChangesByBody'],
  ['updateSchema'],
  ['applyIndexes'],
  ['saveCharts'],
  ['getCharts'],
  ['createView', keepId('view_id')],
  ['listViews'],
  ['replaceView'],
  ['grantAccess'],
  ['listAccess'],
  ['getAccessBinding', undefined, { principal_type: 'group' }],
  ['updateAccessBinding', undefined, { principal_type: 'group' }],
  ['explainAccess'],
  ['explainInsert'],
  ['revokeAccess', undefined, { principal_type: 'group' }],
  ['createApiKey', keepId('key_id')],
  ['listApiKeys'],
  ['getApiKey'],
  ['updateApiKey'],
  ['rotateApiKey'],
  ['createWebhook', keepId('webhook_id')],
  ['listWebhooks'],
  ['getWebhook'],
  ['updateWebhook'],
  ['rotateWebhookSecret'],
  ['testWebhook', body => ({ delivery_id: body.id ?? body.delivery_id })],
  ['listDeliveries'],
  ['redeliverDelivery'],
  ['listAuditEvents'],
  ['updateCollection'],
  ['createWorkspace', body => ({ workspaceId: body.id })],
  ['listWorkspaces'],
  ['getWorkspace'],
  ['updateWorkspace'],
  ['replaceWorkspaceSecurity'],
  ['getWorkspaceSecurity'],
  ['listWorkspaceRoles'],
  ['grantWorkspacePermission'],
  ['listWorkspacePermissions'],
  ['checkWorkspacePermission'],
  ['getWorkspaceContext'],
  ['mintWorkspaceApiKey', keepId('apikey_id')],
  ['listWorkspaceApiKeys'],
  ['updateWorkspaceApiKey'],
  ['listPasskeys'],
  ['startPasskeyRegistration'],
  ['startPasskeyLogin'],
  ['logInAnonymously'],
  ['mintWebSessionTicket', body => ({ '?ticket': body.ticket })],
  ['exchangeTicket'],
  ['switchOrg'],
];

/** Operations that delete what the steps created, in an order in which each still finds its target. */
const ENDINGS: readonly (readonly [operationId: string, keep?: Keep, ids?: Ids])[] = [
  ['deleteRecord'],
  ['deleteRecord', undefined, { '?erase': 'true' }],
  ['deleteRecords'],
  ['deleteView'],
  ['deleteWebhook'],
  ['deleteApiKey'],
  ['deleteCollection'],
  ['listTrash'],
  ['restoreCollection'],
  ['deleteCollection', undefined, { '?permanent': 'true' }],
  ['revokeWorkspaceApiKey'],
  ['deleteWorkspace'],
  ['deleteSsoProvider'],
  ['removeOrgDomain'],
  ['deleteServiceAccount'],
  ['revokeOrgApiKey'],
  ['revokeOrgInvite'],
  ['deleteOrgAgent'],
  ['removeOrgGroupMember'],
  ['emptyOrgGroup'],
  ['deleteOrgGroup'],
  ['deleteOrgRole'],
  ['deleteOrg', undefined, { orgSlug: 'acme' }],
  ['revokeAccessToken'],
  ['revokeOtherSessions'],
  ['logout'],
];

/** Operations whose example would need a secret, a code, an identity provider or a second person. */
const NEED_MORE: Record<string, string> = {
  abandonSchemaChange: 'a change that is still running',
  restoreRecords: 'an instant in the history of the collection',
  callWorkspace: 'another workspace, whose rules let this one in',
  acceptInvitation: 'an invitation of one’s own',
  declineInvitation: 'an invitation of one’s own',
  validateOrgApiKey: 'a key',
  mintServiceAccountToken: 'a secret',
  verifyOrgDomain: 'a TXT record',
  joinOrg: 'the code of an invitation',
  startInvitedRegistration: 'the code of an invitation',
  finishInvitedRegistration: 'the code of an invitation, and an authenticator',
  finishPasskeyRegistration: 'an authenticator',
  finishPasskeyLogin: 'an authenticator',
  renamePasskey: 'a passkey',
  deletePasskey: 'a passkey',
  enterAnonymously: 'a page of the service',
  startEmailLogin: 'a mail server',
  finishEmailLogin: 'a code of a mail',
  finishEmailLoginOfPage: 'a page of the service, and a code of a mail',
  startLogin: 'an identity provider that answers',
  completeLogin: 'an identity provider that answers',
  completeLoginOfProvider: 'an identity provider that answers',
  exchangeToken: 'an identity provider that answers',
  authorize: 'a registered client',
  authorizeDevice: 'a form',
  issueTokens: 'a code',
  revokeToken: 'a client',
  introspectToken: 'a client',
  createRecoveryLink: 'a second member',
  updateOrgMember: 'a second member',
  removeOrgMember: 'a second member',
  revokeWorkspacePermission: 'a second member',
  revokeSession: 'a second session',
};

/** `{id}` in a path is the id of a different thing in each operation. */
const ID_IN: Record<string, string> = {
  deleteOrgAgent: 'agent_id',
  revokeAccessToken: 'access_token_id',
  updateOrgAgent: 'agent_id',
  revokeWorkspaceApiKey: 'apikey_id',
  updateWorkspaceApiKey: 'apikey_id',
};

let app: TestApp;
let description: ApiDescription;
const ids: Ids = {};
/** The owner's session, because some operations require a signed-in person. */
let token: string;

beforeAll(async () => {
  app = await startOwnApp({
    database: 'own',
    environment: {
      ALLOW_BULK_DELETE: 'true',
      OIDC_DYNAMIC_REGISTRATION: 'on',
      ORG_VERIFIED_DOMAINS: 'default=example.com',
    },
  });
  description = await ApiDescription.of(app);
  ids.orgSlug = app.bootstrap.orgSlug;
  const signedIn = await fetch(app.bootstrap.signInUrl, { redirect: 'manual' });
  token = /access-token=([^;]+)/.exec(signedIn.headers.get('set-cookie') ?? '')?.[1] as string;
  return () => app.close();
});

async function runSteps(steps: typeof STEPS): Promise<void> {
  const problems: unknown[] = [];
  for (const [operationId, keep, own = {}] of steps) {
    const operation = description.operation(operationId);
    const id = ids[ID_IN[operationId] ?? ''];
    const request = { token, headers: { accept: 'application/json, text/event-stream' } };
    const filled = { ...ids, ...(id !== undefined && { id }), ...own };
    for (const exchange of await description.sendExamples(operation, filled, request)) {
      const { status, text, body } = exchange.response;
      if (status >= 400) problems.push([operationId, status, text]);
      else {
        const found = description.problemsOf(exchange);
        if (found.length > 0) problems.push([operationId, status, found, text.slice(0, 600)]);
        if (keep !== undefined) Object.assign(ids, keep(body, exchange.response));
      }
    }
  }
  expect(problems).toEqual([]);
}

describe('the examples in Swagger UI', () => {
  it('can all be sent unchanged, one operation after the other, and the answers match their documentation', async () => {
    await runSteps(STEPS);
  });

  it('get a documented answer, whatever its status, when they are sent again', async () => {
    const problems: unknown[] = [];
    for (const [operationId, , own = {}] of STEPS.filter(
      ([id]) => id.startsWith('create') || id.startsWith('mint'),
    )) {
      const operation = description.operation(operationId);
      for (const exchange of await description.sendExamples(operation, { ...ids, ...own }, { token })) {
        const found = description.problemsOf(exchange);
        if (found.length > 0) problems.push([operationId, exchange.response.status, found]);
      }
    }
    expect(problems).toEqual([]);
  });

  it('can delete what they created', async () => {
    await runSteps(ENDINGS);
  });

  it('exist for every operation that takes input', () => {
    const known = new Set([...STEPS, ...ENDINGS].map(([id]) => id).concat(Object.keys(NEED_MORE)));
    const unknown = description.operations.map(each => each.operationId).filter(each => !known.has(each));
    expect(unknown, 'operations that are in no list of this file').toEqual([]);
    const without = description.operations.filter(({ requestBody }) => {
      const media = Object.values(requestBody?.content ?? {});
      const hasOne = media.some(
        each => (each.example ?? each.examples ?? each.schema?.example) !== undefined,
      );
      return media.length > 0 && !hasOne;
    });
    expect(without.map(each => each.operationId)).toEqual([]);
  });

  it('contain no date that will soon be in the past', () => {
    // An access token is valid for at most a year, so its example date counts from the day of the description.
    const text = JSON.stringify(
      description.operations.filter(each => each.operationId !== 'mintAccessToken'),
    );
    const ofBodies = text.matchAll(/"expires_?[aA]t":("[^"]+"|\d+)/g);
    const ends = [...ofBodies].map(([, end]) => JSON.parse(end as string));
    expect(ends.length).toBeGreaterThan(4);
    for (const end of ends) {
      const seconds = typeof end === 'number' ? end : Date.parse(end) / 1000;
      expect([end, seconds > Date.parse('2098-12-31') / 1000]).toEqual([end, true]);
    }
  });
});

describe('refusals are documented with their status and shape', () => {
  const anyId = '0197a5c0-0000-7000-8000-000000000000';
  const unknown = Object.fromEntries(
    [
      'collection_id',
      'record_id',
      'key_id',
      'keyId',
      'webhook_id',
      'delivery_id',
      'userId',
      'id',
      'code',
      'workspaceId',
    ].map(name => [name, anyId]),
  );
  /** The refusals of these operations have the shape of their standards: OAuth, JSON-RPC, browser redirects. */
  const OF_STANDARDS =
    /^(authorize|authorizeDevice|issueTokens|revokeToken|introspectToken|registerClient|endSession|mcp|mcpOfCollection)$/;
  const address = ({ path }: Operation, values: Ids) =>
    path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'nothing');

  it.each([
    ['without a credential', {}],
    ['with an invalid credential', { token: 'at:not-a-token' }],
    ['with an unknown id', { known: true }],
    [
      'with a body that is not JSON',
      { known: true, raw: '[', headers: { 'content-type': 'application/json' } },
    ],
    [
      'with a body of another media type',
      { known: true, raw: 'x', headers: { 'content-type': 'image/png' } },
    ],
    ['with an unknown field', { known: true, body: { surprise: true } }],
  ])('%s', async (_, { known, ...request }: Record<string, unknown>) => {
    const problems: unknown[] = [];
    for (const operation of description.operations) {
      if (OF_STANDARDS.test(operation.operationId) || operation.operationId === 'logout') continue;
      const hasBody = operation.requestBody !== undefined;
      if (!hasBody && ('raw' in request || 'body' in request)) continue;
      const credentials = known ? { token: app.bootstrap.accessToken } : {};
      const target = address(operation, { ...unknown, orgSlug: app.bootstrap.orgSlug });
      const response = await app.request(operation.method, target, { ...credentials, ...request });
      const found = description.problemsOf({ operation, response });
      if (found.length > 0) problems.push([operation.operationId, response.status, found]);
    }
    expect(problems).toEqual([]);
  });
});
