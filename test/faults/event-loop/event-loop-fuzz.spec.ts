import { expect, it } from 'vitest';
import { Dice, seedOr, TIMES } from '../../harness/dice.js';
import { type Description, type Operation, operationsOf } from './described.js';
import { HOSTILE, hostileForm, hostileJson } from './hostile-text.js';
import { WatchedInstance } from './watched-instance.js';

/** A new seed in each run. Set SEED to repeat a run. */
const SEED = seedOr(Date.now() % 2 ** 31);
/** Number of bodies or queries per operation. Every run has other ones; `npm run test:long` sends five of each. */
const OF_EACH_OPERATION = TIMES;

const LARGE = 10 * 1024 * 1024;
/** More than the body limit of routes without records. */
const PROBE = 200 * 1024;
/** A body in between, for work that other limits allow. */
const MIDDLE = 1024 * 1024;
/** Node accepts 16 KiB of headers. */
const QUERY = 4_000;
const FORM = 'application/x-www-form-urlencoded';

/** Operations that end the fuzz's own session or organization, or that stream for as long as a client listens. */
const LEFT_OUT = /^(logout|switchOrg|revokeOtherSessions|deleteOrg|listChanges|listChangesByBody)$/;

/** Operations that create the things later operations need, and the name under which those find them. */
const MADE: readonly (readonly [operationId: string, found: string, kept: string])[] = [
  ['createOrgRole', 'slug', 'role'],
  ['createOrgGroup', 'slug', 'group'],
  ['createServiceAccount', 'slug', 'account'],
  ['createOrgAgent', 'id', 'agent'],
  ['mintOrgApiKey', 'id', 'keyId'],
  ['createSsoProvider', 'slug', 'provider'],
  ['createWorkspace', 'id', 'workspaceId'],
  ['createCollection', 'collection_id', 'collection_id'],
  ['createApiKey', 'id', 'key_id'],
  ['createWebhook', 'id', 'webhook_id'],
];

const FILTERS = [
  { a: 1 },
  { $and: [{ a: 1 }, { $or: [{ 'b.c': { $gt: 1 } }, { d: { $regex: 'x' } }] }] },
  { a: { $in: [1, 'x'] }, b: { $nin: [{ n: 1 }] }, c: { $all: [1] } },
  { marks: { $elemMatch: { n: { $gt: 1 }, $or: [{ m: 1 }] } }, a: { $not: { $eq: { b: 1 } } } },
  { a: { $exists: true }, b: { $type: ['string'] }, c: { $mod: [2, 1] }, d: { $bitsAllSet: [1, 2] } },
  { $search: 'x', a: { $search: 'y' }, b: { $regex: '^a+$', $options: 'i' }, c: { $size: 1 } },
];
const UPDATES = [
  { $set: { a: 1, 'deep.b': { c: [1] } } },
  { $pull: { marks: { n: { $in: [1, 2] }, m: { $gt: 1 } } } },
  { $pull: { marks: { $or: [{ n: 1 }, { m: 'x' }] } } },
  { $pullAll: { marks: [{ n: 1 }, 7] } },
  { $addToSet: { marks: { $each: [{ n: 1 }, 7, 'x'] } } },
  { $push: { marks: { $each: [{ n: 1 }, 7], $sort: { n: 1 }, $slice: -500, $position: 1 } } },
  { $push: { marks: { $each: [3, 'x'], $sort: -1 } }, $inc: { a: 1, 'deep.c': 2 } },
  { $unset: { a: '', 'deep.b': '' }, $rename: { b: 'c' }, $mul: { d: 2 }, $min: { e: 1 }, $max: { f: 'x' } },
  { $currentDate: { at: true }, $pop: { marks: 1 }, $bit: { a: { or: 1 } } },
];
const SOME = { seed: { $lt: 100 } };

/** More starting points than the one example in the description: the languages of the record operations. */
const MORE: Readonly<Record<string, readonly unknown[]>> = {
  searchRecords: FILTERS.map(filter => ({ filter, sort: { a: 1, 'b.c': -1 }, fields: { a: 1 }, limit: 5 })),
  deleteRecords: FILTERS.map(filter => ({ filter: { $and: [{ seed: -1 }, filter] } })),
  updateRecords: UPDATES.map(update => ({ filter: SOME, update })),
  updateRecord: UPDATES,
  aggregateRecords: FILTERS.map(filter => ({
    filter,
    group_by: ['a', 'b.c'],
    steps: [{ type: 'max', input_field: 'a', output_field: 'most' }],
    having: { most: { $in: [1, 2] } },
    sort: { most: 1 },
  })),
  insertRecords: [{ records: [{ a: 1, b: { c: ['x'] }, seed: 1, texts: ['a'] }] }],
  bulkInsertRecords: [{ records: [{ a: 'x', key: 'k', b: { c: [1] } }], upsert_key: 'key' }],
  upsertRecord: [{ data: { key: 'k', seed: 1, b: { c: [1] } }, match_fields: ['key', 'seed'] }],
  batchRecords: [{ operations: [{ insert: { a: 1, b: { c: [1] } } }] }],
};

interface Body {
  readonly what: string;
  readonly type: string;
  readonly text: string;
}

function bodiesFor(dice: Dice, operation: Operation, tools: readonly unknown[], limit: number): Body[] {
  const types = Object.keys(operation.bodies);
  const examples = operation.id.startsWith('mcp') ? tools : (MORE[operation.id] ?? []);
  return Array.from({ length: OF_EACH_OPERATION }, () => {
    const type = dice.of(types.length > 0 ? types : ['application/json']);
    const bytes = (limit === LARGE && dice.below(10) < 3 ? MIDDLE : limit) - 100;
    if (type === FORM) {
      const fields = operation.bodies[FORM]![1] as Record<string, string>;
      return { type, ...hostileForm(dice, fields, bytes) };
    }
    if (type.includes('csv') || type.includes('ndjson')) return { type, ...lines(dice, type, bytes) };
    const given = dice.of(operation.bodies[type] ?? [{ a: 1 }]);
    const example = examples.length > 0 && dice.below(10) < 8 ? dice.of(examples) : given;
    return { type, ...hostileJson(dice, example, bytes) };
  });
}

/** A file with few or many lines. */
function lines(dice: Dice, type: string, bytes: number) {
  const kind = dice.of(Object.keys(HOSTILE));
  const count = dice.of([1, 20, 2_000]);
  const value = HOSTILE[kind]!(bytes / count);
  const line = type.includes('csv') ? `"${value.replaceAll('"', '""')}",1` : `{"a":${value}}`;
  const head = type.includes('csv') ? 'a,b\n' : '';
  return { what: `${count} lines with ${kind}`, text: `${head}${`${line}\n`.repeat(count)}` };
}

function queryFor(dice: Dice, { queries }: Operation): string {
  const name = dice.of(queries);
  const kind = dice.of(Object.keys(HOSTILE));
  const value = dice.below(10) < 5 ? HOSTILE[kind]!(QUERY) : hostileJson(dice, dice.of(FILTERS), QUERY).text;
  return `?${name}=${encodeURIComponent(value.slice(0, QUERY))}`;
}

it(
  'no body or query of any operation blocks the event loop for more than a quarter of a second',
  async () => {
    const dice = new Dice(SEED);
    process.stdout.write(`SEED=${SEED}\n`);
    const target = await fuzzed();
    const { instance, headers } = target;
    const failed: unknown[] = [];
    await instance.forget();
    for (const operation of target.operations) {
      if (LEFT_OUT.test(operation.id)) continue;
      const [path, { id, method }] = [addressOf(operation, target.made), operation];
      const judge = async (what: string, request: { path: string; type?: string; body?: string }) => {
        const type = request.type ?? 'application/json';
        const sent = { method, path: request.path, headers: { ...headers, 'content-type': type } };
        const { status } = await instance.judge({ ...sent, name: `${id}: ${what}`, body: request.body });
        if (status >= 500 && status !== 503) failed.push([id, what, status]);
      };
      if (method === 'GET') {
        for (let n = 0; n < OF_EACH_OPERATION && operation.queries.length > 0; n++) {
          const query = queryFor(dice, operation);
          await judge(query.slice(0, 60), { path: path + query });
        }
        continue;
      }
      const limit = await limitOf(target, method, path);
      for (const { what, type, text } of bodiesFor(dice, operation, target.tools, limit))
        await judge(what, { path, type, body: text });
    }
    process.stdout.write(`${['slowest:', ...instance.slowest(8)].join('\n  ')}\n`);
    expect(instance.offenders, `SEED=${SEED}`).toEqual([]);
    expect(failed, `SEED=${SEED}`).toEqual([]);
  },
  TIMES * 300_000,
);

type Made = Record<string, string>;

/** An instance with one thing of each kind, and the operations in its description. */
async function fuzzed() {
  const instance = await WatchedInstance.start({
    ALLOW_BULK_DELETE: 'true',
    OIDC_DYNAMIC_REGISTRATION: 'on',
  });
  const { url, bootstrap } = instance;
  const signedIn = await fetch(bootstrap.signInUrl as string, { redirect: 'manual' });
  const token = /access-token=([^;]+)/.exec(signedIn.headers.get('set-cookie') ?? '')?.[1];
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  };
  const post: Post = async (path, body) => {
    const answer = await instance.send({ method: 'POST', path, headers, body: JSON.stringify(body) });
    expect([path, answer.status < 300, answer.text]).toEqual([path, true, expect.anything()]);
    return answer.text;
  };
  const description = (await (await fetch(`${url}/openapi.json`)).json()) as Description;
  const operations = operationsOf(description);
  const made: Made = { orgSlug: bootstrap.orgSlug as string };
  for (const [id, found, kept] of MADE) {
    const operation = operations.find(each => each.id === id) as Operation;
    const [example] = operation.bodies['application/json'] as readonly unknown[];
    made[kept] = JSON.parse(await post(addressOf(operation, made), example))[found];
  }
  const records = Array.from({ length: 200 }, (_, seed) => ({
    seed,
    email: `${seed}@example.com`,
    marks: Array.from({ length: 200 }, (_, n) => ({ n })),
  }));
  const inserted = await post(`/v1/collections/${made.collection_id}/data`, { records });
  made.record_id = JSON.parse(inserted).ids[0];
  const tools = await toolCalls(post, made.collection_id as string);
  return { instance, headers, operations, made, tools };
}

type Target = Awaited<ReturnType<typeof fuzzed>>;
type Post = (path: string, body: unknown) => Promise<string>;

/** The path with the ids of the created things. Deletions get an id that does not exist. */
function addressOf({ id, path, method, inPath }: Operation, made: Made): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const slug = /Sso/.test(id)
      ? 'provider'
      : /Group/.test(id)
        ? 'group'
        : /Role/.test(id)
          ? 'role'
          : 'account';
    const kept = made[name] ?? made[{ slug, id: 'agent' }[name] ?? ''];
    const known = method === 'DELETE' && name !== 'orgSlug' ? undefined : kept;
    return encodeURIComponent(known ?? (method === 'DELETE' ? 'nothing' : (inPath[name] ?? 'x')));
  });
}

/** The body limit of the operation, which a refusal states. */
async function limitOf({ instance, headers }: Target, method: string, path: string): Promise<number> {
  const body = `{"a":"${'x'.repeat(PROBE)}"}`;
  const { status, text } = await instance.send({ method, path, headers, body });
  return status === 413 ? Number(/limit of (\d+)/.exec(text)?.[1]) : LARGE;
}

/** A call of every tool with all of its arguments. */
async function toolCalls(post: Post, collectionId: string): Promise<unknown[]> {
  const text = await post('/v1/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const listed = JSON.parse(text.slice(text.indexOf('{'))).result.tools as {
    name: string;
    inputSchema: { properties?: Record<string, { type?: string }> };
  }[];
  return listed.map(({ name, inputSchema }) => {
    const known = Object.entries(inputSchema.properties ?? {}).map(([property, { type }]) => {
      if (property === 'collection_id') return [property, collectionId];
      if (property === 'filter') return [property, FILTERS[1]];
      if (property === 'update') return [property, UPDATES[5]];
      if (type === 'array') return [property, [{ a: 1, b: { c: [1] } }]];
      return [
        property,
        type === 'integer' ? 1 : type === 'boolean' ? true : type === 'object' ? { a: 1 } : 'x',
      ];
    });
    const params = { name, arguments: Object.fromEntries(known) };
    return { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  });
}
