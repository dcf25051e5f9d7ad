import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp, type TestResponse } from '../../harness/app.js';
import { TIMES } from '../../harness/dice.js';
import { type Credential, type Estate, newEstate } from './estate.js';

/** An operation of the OpenAPI document whose path contains an id. */
interface Route {
  readonly name: string;
  readonly method: string;
  /** For example `/v2/orgs/{orgSlug}/roles/{slug}`. */
  readonly template: string;
  readonly parameters: readonly string[];
  /** A valid body: the example of the description. Undefined for a route that takes none. */
  readonly body: unknown;
}

interface Described {
  readonly requestBody?: { readonly content: Readonly<Record<string, Example>> };
}

interface Example {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
  readonly schema?: { readonly example?: unknown };
}

const KINDS = [
  ...['nothing', 'a session', 'the cookie', 'an access token', 'an organization key', "a person's key"],
  ...['a collection key', 'a workspace key', 'a service account', 'an anonymous session'],
];
const MALFORMED = ['malformed', '%00', "'--", '..%2f..', '%F0%9F%94%91'];
/** Number of concurrent requests. */
const AT_ONCE = 8;

let app: TestApp;
let own: Estate;
let foreign: Estate;
let routes: Route[];
let ownIds: Map<string, string>;
let foreignIds: Map<string, string>;

beforeAll(async () => {
  app = await startApp();
  [own, foreign] = [await newEstate(app), await newEstate(app)];
  routes = routesOf((await app.request('GET', '/openapi.json')).body);
  const ownLists = await listed(own, new Map());
  ownIds = ownLists.ids;
  foreignIds = (await listed(foreign, ownLists.all)).ids;
});

function routesOf(description: { paths: Record<string, Record<string, Described>> }): Route[] {
  return Object.entries(description.paths).flatMap(([template, item]) => {
    const parameters = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
    if (parameters.length === 0) return [];
    return Object.entries(item).map(([key, described]) => {
      const method = key.toUpperCase();
      return { name: `${method} ${template}`, method, template, parameters, body: exampleOf(described) };
    });
  });
}

function exampleOf({ requestBody }: Described): unknown {
  const media = requestBody?.content['application/json'];
  return media?.example ?? Object.values(media?.examples ?? {})[0]?.value ?? media?.schema?.example;
}

/**
 * An id for each parameter, by the path that ends with it, taken from the list that the owner reads at the path
 * above. Skips ids in `taken`, so that a foreign id is not also one of the caller's own (such as a built-in
 * role).
 */
async function listed(
  { org, collection, workspace, member }: Estate,
  taken: ReadonlyMap<string, Set<string>>,
) {
  const ids = new Map([
    ['/v1/collections/{collection_id}', collection.id],
    ['/v1/collections/{collection_id}/access/{principal_type}/{principal_id}', member.userId],
    ['/v2/orgs/{orgSlug}', org.slug],
    ['/v2/workspaces/{workspaceId}', workspace.id],
    ['/v2/workspaces/{workspaceId}/permissions/{userId}', member.userId],
  ]);
  const all = new Map<string, Set<string>>();
  for (const prefix of prefixes().sort((a, b) => a.length - b.length)) {
    if (ids.has(prefix)) continue;
    const parameter = prefix.slice(prefix.lastIndexOf('{') + 1, -1);
    const list = prefix.slice(0, prefix.lastIndexOf('/'));
    const { body } = await app.request('GET', filled(list, ids), { token: org.owner.token });
    const found = identifiersIn(body, parameter);
    all.set(prefix, new Set(found));
    const id = found.findLast(each => !taken.get(prefix)?.has(each));
    if (id !== undefined) ids.set(prefix, id);
  }
  const provider = ids.get('/v2/orgs/{orgSlug}/auth/sso/{slug}');
  if (provider !== undefined) ids.set('/v2/login/callback/{provider}', provider);
  return { ids, all };
}

/** The paths that end with a parameter. */
function prefixes(): string[] {
  return [
    ...new Set(routes.flatMap(({ template, parameters }) => parameters.map(name => upTo(template, name)))),
  ];
}

function identifiersIn(body: unknown, parameter: string): string[] {
  const items = Object.values({ body, ...(body as object) }).find(Array.isArray) ?? [];
  const fields = [parameter, ...(parameter === 'record_id' ? ['_id'] : ['id', '_id', 'slug'])];
  return items.flatMap(item => fields.map(name => item[name]).find(value => typeof value === 'string') ?? []);
}

/** The path template up to the parameter: `/v2/orgs/{orgSlug}` of `/v2/orgs/{orgSlug}/roles`. */
function upTo(template: string, parameter: string): string {
  return template.slice(0, template.indexOf(`{${parameter}}`) + parameter.length + 2);
}

/** A path with ids instead of its parameters. An unknown id becomes one that names nothing. */
function filled(template: string, ids: ReadonlyMap<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(ids.get(upTo(template, name)) ?? (name === 'principal_type' ? 'user' : 'nothing')),
  );
}

const send = ({ method }: Route, path: string, credential: Credential, body: unknown) =>
  app.request(method, path, {
    ...credential,
    ...(!['GET', 'DELETE'].includes(method) && body !== undefined && { body }),
  });

/** The parts of an answer that a client can observe, without the ids that the client sent. */
function withoutIds({ status, text, headers }: TestResponse, sent: readonly string[]): string {
  const names = [...headers.keys()].filter(
    name => !['x-correlation-id', 'date', 'content-length'].includes(name),
  );
  const challenge = headers.get('www-authenticate');
  return sent.reduce((all, id) => all.replaceAll(id, '<id>'), `${status} ${text} ${names} ${challenge}`);
}

/** The ways to cross a tenant boundary: the parameter of a path from which on the ids are foreign. */
function crossings({ parameters }: Route): number[] {
  return parameters.map((_, index) => index).filter(index => parameters[index] !== 'principal_type');
}

/** The path of a route with own ids before the boundary and foreign ids after it, and the foreign ids. */
function astray(
  route: Route,
  crossing: number,
  idOf: (prefix: string) => string,
): { path: string; sent: string[] } {
  const sent: string[] = [];
  const path = route.template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const prefix = upTo(route.template, name);
    if (name === 'principal_type') return 'user';
    if (route.parameters.indexOf(name) < crossing) return encodeURIComponent(ownIds.get(prefix) ?? 'nothing');
    const id = idOf(prefix);
    sent.push(decodeURIComponent(id));
    return MALFORMED.includes(id) ? id : encodeURIComponent(id);
  });
  return { path, sent };
}

async function inTurns<T>(all: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const next = async (): Promise<void> => {
    for (let each = left.shift(); each !== undefined; each = left.shift()) await work(each);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

/** Everything that the owner of the foreign organization can read of it. */
async function foreignState(): Promise<string[]> {
  const lists = routes.filter(
    ({ method, name }) => method === 'GET' && !/audit|export|explain|usage/.test(name),
  );
  const answers: string[] = [];
  for (const route of lists) {
    const { status, text } = await app.request('GET', filled(route.template, foreignIds), {
      token: foreign.org.owner.token,
      // Workspaces show it in their context.
      headers: { 'x-correlation-id': 'before-and-after' },
    });
    answers.push(`${route.name} ${status} ${text.replace(/"last(Used|_used)_?[aA]t":("[^"]*"|null)/g, '')}`);
  }
  return answers;
}

it('the test has a foreign id for every path parameter except the kinds of principals, which all organizations share', () => {
  expect(routes.length).toBeGreaterThan(50);
  const without = prefixes().filter(
    prefix => !foreignIds.has(prefix) || foreignIds.get(prefix) === ownIds.get(prefix),
  );
  expect(without).toEqual(['/v1/collections/{collection_id}/access/{principal_type}']);
});

describe('things of other organizations look to the caller as if they did not exist', () => {
  let before: string[];
  beforeAll(async () => {
    before = await foreignState();
  });

  it.each(KINDS)(
    'with %s: foreign, random and malformed ids are answered alike, byte for byte',
    { repeats: TIMES - 1, timeout: 120_000 },
    async kind => {
      const credential = own.credentials[kind] as Credential;
      const cases = routes.flatMap(route => crossings(route).map(crossing => ({ route, crossing })));
      const different: string[] = [];
      await inTurns(cases, async ({ route, crossing }) => {
        const ask = async (idOf: (prefix: string) => string) => {
          const { path, sent } = astray(route, crossing, idOf);
          // The body is valid, so that the service looks for the ids instead of refusing it.
          const answer = await send(route, path, credential, route.body);
          if (answer.status >= 500) different.push(`${route.name} ${path}: ${answer.status}`);
          return { status: answer.status, all: withoutIds(answer, sent) };
        };
        const random = await ask(() => randomUUID());
        const theirs = await ask(prefix => foreignIds.get(prefix) ?? randomUUID());
        if (theirs.all !== random.all) different.push(`${route.name}: ${theirs.all} is not ${random.all}`);
        for (const odd of MALFORMED) {
          const { status } = await ask(() => odd);
          // The answer may say that a text cannot be an id, because no row can contain it.
          const alike = status === random.status || (random.status === 404 && status === 400);
          if (!alike) different.push(`${route.name} with ${odd}: ${status}, not ${random.status}`);
        }
      });
      expect(different).toEqual([]);
      // The refusals are not due to an invalid credential.
      expect((await app.request('GET', '/v2/me', credential)).status).toBe(kind === 'nothing' ? 401 : 200);
    },
  );

  it('the foreign organization is unchanged afterwards', async () => {
    expect(before.length).toBeGreaterThan(20);
    expect(before.some(answer => answer.includes(' 200 '))).toBe(true);
    expect(await foreignState()).toEqual(before);
  });
});

describe("an operation on the caller's own things", () => {
  it.each(KINDS)('is answered with %s, and never with 5xx', async kind => {
    const credential = own.credentials[kind] as Credential;
    const statuses: number[] = [];
    // Skips operations that would delete the object or credential that later ones need, and the look-up of a DNS record.
    await inTurns(
      routes.filter(({ name }) => !/^DELETE|\/(rotate|verify)$/.test(name)),
      async route => {
        // The body is refused, so that later operations find what they need.
        const { status } = await send(route, filled(route.template, ownIds), credential, { unknown: 1 });
        expect([route.name, status < 500]).toEqual([route.name, true]);
        statuses.push(status);
      },
    );
    if (kind === 'nothing') expect(statuses).not.toContain(200);
    else if (kind !== 'an anonymous session') expect(statuses).toContain(200);
  });
});
