import {
  Client,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  type StoredOAuthClientInformation,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OutboundFetch } from '../../../src/platform/outbound/outbound-fetch.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import {
  eventsOf,
  type Home,
  insert,
  newHome,
  newName,
  newTypedCollection,
  type TestCollection,
} from '../../harness/collection.js';
import type { Person } from '../auth/person.js';
import { Browser } from '../oidc/browser.js';
import { clientSettings } from '../oidc/client.js';
import { newMember } from '../orgs/org.js';

/** The redirect address of a client on a person's machine. */
const CALLBACK = 'http://127.0.0.1:33418/callback';
/** The address of a client's metadata document. */
const CLIENT_ID = 'https://agent.example.com/client.json';

const METADATA: OAuthClientMetadata = {
  client_name: 'An agent',
  redirect_uris: [CALLBACK],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  application_type: 'native',
};

let app: TestApp;
let home: Home;
let books: TestCollection;
beforeAll(async () => {
  app = await startOwnApp({ database: 'own', environment: clientSettings() });
  const described = async () => Response.json({ client_id: CLIENT_ID, ...METADATA });
  Object.assign(app.nest.get(OutboundFetch), { fetch: described });
  home = await newHome(app);
  books = await newTypedCollection(app, home);
  await insert(app, books, { title: 'Emma' });
});
afterAll(() => app.close());

/** The data that a client stores during sign-in, and the browser that it opens. */
class Memory implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  client: StoredOAuthClientInformation | undefined;
  kept: OAuthTokens | undefined;
  authorization: URL | undefined;
  readonly clientMetadata = METADATA;
  readonly clientMetadataUrl: string | undefined;
  private readonly scope: string | undefined;
  private verifier = '';
  private discovered: OAuthDiscoveryState | undefined;

  constructor({ clientMetadataUrl, scope }: { clientMetadataUrl?: string; scope?: string } = {}) {
    this.clientMetadataUrl = clientMetadataUrl;
    this.scope = scope;
  }

  state = () => 'a-state';
  clientInformation = () => this.client;
  tokens = () => this.kept;
  codeVerifier = () => this.verifier;
  saveClientInformation(client: StoredOAuthClientInformation) {
    this.client = client;
  }
  saveTokens(tokens: OAuthTokens) {
    this.kept = tokens;
  }
  saveCodeVerifier(verifier: string) {
    this.verifier = verifier;
  }
  saveDiscoveryState(state: OAuthDiscoveryState) {
    this.discovered = state;
  }
  discoveryState = () => this.discovered;
  invalidateCredentials() {
    this.kept = undefined;
  }
  redirectToAuthorization(url: URL) {
    if (this.scope !== undefined) url.searchParams.set('scope', this.scope);
    this.authorization = url;
  }
}

/** A client that knows only the address of the endpoint. */
function stranger(memory: Memory, path = '/v1/mcp') {
  const transport = new StreamableHTTPClientTransport(new URL(path, app.url), { authProvider: memory });
  const sdk = new Client(
    { name: 'agent', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  return { sdk, transport };
}

/** Connects, is asked to sign in, signs in with a person's browser, and connects again. */
async function signedIn(memory: Memory, person: Pick<Person, 'token'>, path?: string): Promise<Client> {
  const first = stranger(memory, path);
  await expect(first.sdk.connect(first.transport)).rejects.toThrow(UnauthorizedError);
  const browser = Browser.of(app, person);
  const page = await browser.get(memory.authorization as URL);
  expect(page.html).toContain('Allow An agent to connect?');
  const { url } = await browser.press(page, 'Allow');
  expect(url.startsWith(`${CALLBACK}?`)).toBe(true);
  expect(new URL(url).searchParams.get('state')).toBe('a-state');
  await first.transport.finishAuth(new URL(url).searchParams);
  const { sdk, transport } = stranger(memory, path);
  await sdk.connect(transport);
  return sdk;
}

const call = async (sdk: Client, name: string, args: Record<string, unknown>) => {
  const { structuredContent, isError, content } = await sdk.callTool({ name, arguments: args });
  return isError ? JSON.parse((content as { text: string }[])[0]!.text) : structuredContent;
};

describe.each([
  ['registers itself', () => new Memory(), expect.not.stringContaining('https:')],
  ['publishes its metadata at an address', () => new Memory({ clientMetadataUrl: CLIENT_ID }), CLIENT_ID],
])('a client that %s', (_, begin, clientId) => {
  it('needs only the 401 to find the way to sign in, and acts for the person who consented', async () => {
    const memory = begin();
    const sdk = await signedIn(memory, home.org.owner);
    expect(memory.client?.client_id).toEqual(clientId);
    const asked = memory.authorization?.searchParams;
    expect(asked?.get('code_challenge_method')).toBe('S256');
    expect(asked?.get('resource')).toBe(`${app.url}/v1/mcp`);
    expect(await call(sdk, 'data_query', { collection_id: books.id })).toMatchObject({ count: 1 });
  });

  it('can sign in to the endpoint of one collection, with a token that is valid nowhere else', async () => {
    const memory = begin();
    const sdk = await signedIn(memory, home.org.owner, `${books.path}/mcp`);
    expect(await call(sdk, 'data_query', {})).toMatchObject({ count: 1 });
    const token = memory.kept?.access_token as string;
    for (const path of ['/v1/collections', books.path, '/v2/me']) {
      expect([path, (await app.request('GET', path, { token })).status]).toEqual([path, 401]);
    }
    expect((await app.request('POST', '/v1/mcp', { token, body: {} })).status).toBe(401);
  });
});

describe('an agent at a service with default settings', () => {
  it('signs its person in, and creates and fills a collection on their behalf', async () => {
    const memory = new Memory();
    const sdk = await signedIn(memory, home.org.owner);
    expect(memory.authorization?.searchParams.get('scope')?.split(' ')).toContain('collections:create');
    const name = newName();
    const made = await call(sdk, 'data_create_collection', {
      name,
      properties: { title: { type: 'text' } },
    });
    expect(made).toMatchObject({ name, owner_type: 'user', owner_id: home.org.owner.userId });
    const records = { title: 'Persuasion' };
    expect(await call(sdk, 'data_insert', { collection_id: name, records })).toMatchObject({
      inserted_count: 1,
    });
    expect(await call(sdk, 'data_count', { collection_id: name })).toEqual({ count: 1 });
  });

  it('is asked at the endpoint of one collection only for the scopes that this needs', async () => {
    const memory = new Memory();
    await signedIn(memory, home.org.owner, `${books.path}/mcp`);
    expect(memory.authorization?.searchParams.get('scope')).not.toContain('collections:create');
  });

  it('creates nothing if its person did not consent to that', async () => {
    const sdk = await signedIn(
      new Memory({ scope: 'collections:read collections:write collections:manage' }),
      home.org.owner,
    );
    const { tools } = await sdk.listTools();
    expect(tools.map(({ name }) => name)).not.toContain('data_create_collection');
    expect((await call(sdk, 'data_create_collection', { name: newName() })).error).toBe('Forbidden');
  });

  it('is told which setting allows clients to register, where it is off', async () => {
    const environment = { OIDC_DYNAMIC_REGISTRATION: 'off' };
    const closed = await startOwnApp({ database: 'own', environment });
    const answer = await closed.request('POST', '/v1/mcp', { body: {} });
    expect(answer.status).toBe(401);
    expect(answer.body.message).toContain('OIDC_DYNAMIC_REGISTRATION');
    await closed.close();
    const open = await app.request('POST', '/v1/mcp', { body: {} });
    expect(open.body.message).not.toContain('OIDC_DYNAMIC_REGISTRATION');
  });
});

describe('the consent of a person', () => {
  it('makes the audit log name the person, and MCP as the channel', async () => {
    const sdk = await signedIn(new Memory({ scope: 'collections:read collections:write' }), home.org.owner);
    expect(
      await call(sdk, 'data_insert', { collection_id: books.id, records: { title: 'Ruth' } }),
    ).toMatchObject({
      inserted_count: 1,
    });
    const [event] = (await eventsOf(app, books)).slice(-1);
    expect(event?.actor).toMatchObject({ type: 'user', id: home.org.owner.userId, via: 'mcp' });
  });

  it('limits what the client sees and may do', async () => {
    const sdk = await signedIn(new Memory({ scope: 'collections:read' }), home.org.owner);
    const { tools } = await sdk.listTools();
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
    expect(tools.map(({ name }) => name)).toContain('data_query');
    const refusal = await call(sdk, 'data_insert', { collection_id: books.id, records: {} });
    expect(refusal.error).toBe('Forbidden');
  });

  it('never gives more rights than the person has', async () => {
    const member = await newMember(app, home.org);
    const sdk = await signedIn(new Memory(), member);
    const refusal = await call(sdk, 'data_query', { collection_id: books.id });
    expect(refusal.error).toBe('CollectionNotFound');
  });

  it('ends when the person ends their sessions', async () => {
    const member = await newMember(app, home.org);
    const memory = new Memory();
    await signedIn(memory, member);
    await app.request('DELETE', '/v2/user/sessions', { token: member.token });
    const again = stranger(memory);
    await expect(again.sdk.connect(again.transport)).rejects.toThrow(UnauthorizedError);
  });
});
