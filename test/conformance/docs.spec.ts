import { readdir, readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { COLLECTION_RIGHTS } from '../../src/base/kernel/permission.js';
import { COLUMN_TYPES } from '../../src/engine/columns/index.js';
import { buildClientBefore } from '../examples/program.js';
import { startApp, type TestApp } from '../harness/app.js';
import {
  type Home,
  insert,
  newCollection,
  newHome,
  read,
  type TestCollection,
} from '../harness/collection.js';
import { connect } from '../scenarios/mcp/client.js';
import { newKey, newMember } from '../scenarios/orgs/org.js';
import { examplesOf, filledIn, jsonIn, run, type Table, tablesOf } from './examples.js';

// Pages use the built client, as their readers do.
buildClientBefore();

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

/** Runs the commands of a page and compares every stated answer with the actual one. */
async function follow(page: string, home: Home, variables: readonly string[] = []): Promise<string[]> {
  const { apiKey } = await newKey(app, home.org);
  const member = await newMember(app, home.org);
  const environment = { URL: app.url, KEY: apiKey, ORG: home.org.slug, MEMBER: member.userId };
  const examples = examplesOf(page);
  const { printed, values } = await run(examples, environment, variables);
  for (const [n, { commands, json, text }] of examples.entries()) {
    const real = printed[n]!.trim();
    if (json !== undefined) expect(JSON.parse(real), commands).toEqual(filledIn(json, JSON.parse(real)));
    else if (text !== undefined) expect(real, commands).toBe(text);
    else expect(real, commands).not.toContain('"error"');
  }
  return values;
}

function rowsOf(page: string, ...header: string[]): string[][] {
  const named = (table: Table) => header.every((name, n) => table.header[n] === name);
  const rows = tablesOf(page)
    .filter(named)
    .flatMap(table => table.rows);
  expect(rows.length).toBeGreaterThan(0);
  return rows as string[][];
}

describe('docs/filters.md', async () => {
  const page = await readFile('docs/filters.md', 'utf8');
  let home: Home;
  let scratch: TestCollection;
  beforeAll(async () => {
    home = await newHome(app);
    await follow(page, home);
    scratch = await newCollection(app, home);
  });

  const query = (body: object) =>
    app.request('POST', `/v1/collections/filters/data/query`, { ...home.owner, body });

  it.each(rowsOf(page, 'Filter', 'Finds'))('%s finds %s', async (filter, finds) => {
    const { status, body } = await query({ filter: jsonIn(filter) });
    expect(status === 200 ? titlesOf(body) : String(status)).toBe(finds);
  });

  it.each(rowsOf(page, 'Sort', 'Order'))('%s sorts %s', async (sort, order) => {
    const { status, body } = await query({ sort: jsonIn(sort) });
    expect(status === 200 ? titlesOf(body) : String(status)).toBe(order);
  });

  it.each(rowsOf(page, 'Fields', 'Emma'))('%s shows %s', async (fields, shown) => {
    const { status, body } = await query({ filter: { title: 'Emma' }, fields: jsonIn(fields) });
    if (shown === '400') return expect(status).toBe(400);
    expect(body.records[0]).toEqual(filledIn(jsonIn(shown), body.records[0]));
  });

  it.each(rowsOf(page, 'Update', 'Before', 'After'))('%s makes of %s %s', async (update, before, after) => {
    const [id] = await insert(app, scratch, jsonIn(before) as object);
    const body = jsonIn(update);
    const { status } = await app.request('PATCH', `${scratch.data}/${id}`, { ...home.owner, body });
    const { _id, created_at, updated_at, ...record } = await read(app, scratch, id!);
    expect(status, JSON.stringify(record)).toBe(after === '400' ? 400 : 200);
    expect(record).toEqual(filledIn(jsonIn(after === '400' ? before : after), record));
  });
});

/** One sequence of commands, on one page for each task. */
const COLLECTIONS = [
  'collections',
  'collections/records',
  'collections/bulk-and-batch',
  'collections/counts',
  'collections/schema',
  'collections/retries',
  'collections/import-and-export',
  'collections/charts-and-views',
  'collections/sharing',
  'collections/audit',
  'collections/trash',
];

describe('docs/collections.md and the pages below it', async () => {
  const pages = await Promise.all(COLLECTIONS.map(page => readFile(`docs/${page}.md`, 'utf8')));
  const page = pages.join('\n');

  it('state the actual answers of their commands', async () => {
    await follow(page, await newHome(app));
  });

  it('leave out no page', async () => {
    const found = (await readdir('docs/collections')).map(file => `collections/${file.replace('.md', '')}`);
    expect(COLLECTIONS.slice(1).sort()).toEqual(found.sort());
  });

  it('list every column type', () => {
    const types = rowsOf(page, 'Type', 'Accepts').map(([type]) => type);
    expect(types).toEqual(Object.keys(COLUMN_TYPES).map(name => `\`${name}\``));
  });

  it('list every right of a role as the code grants it', () => {
    const rights = Object.entries(COLLECTION_RIGHTS).map(([right, { role, permission }]) => [
      right,
      role,
      `\`${permission}\``,
    ]);
    expect(rowsOf(page, 'Right', 'Weakest role')).toEqual(rights);
  });
});

it.each([
  'first-hour',
  'tutorial',
  'history',
  'how-to/share-with-your-team',
  'how-to/share-some-records-and-fields',
  'how-to/import-existing-data',
  'how-to/find-out-why-a-query-is-slow',
  'how-to/restore-a-collection',
])('docs/%s.md answers its commands as stated', async page => {
  await follow(await readFile(`docs/${page}.md`, 'utf8'), await newHome(app));
});

it('docs/single-sign-on.md states the actual answers of its commands', async () => {
  await follow(await readFile('docs/single-sign-on.md', 'utf8'), await newHome(app));
});

describe('docs/ai.md', async () => {
  const page = await readFile('docs/ai.md', 'utf8');
  let home: Home;
  let orders: string;
  beforeAll(async () => {
    home = await newHome(app);
    [orders] = (await follow(page, home, ['ID'])) as [string];
  });

  it.each(rowsOf(page, 'Question', 'Plan'))('states that "%s" is planned as %s', async (question, plan) => {
    const path = `/v1/collections/${orders}/ask`;
    const { body } = await app.request('POST', path, { ...home.owner, body: { question } });
    expect(body.plan).toEqual(jsonIn(plan));
  });
});

describe('docs/mcp.md', async () => {
  const page = await readFile('docs/mcp.md', 'utf8');

  it('states the actual answers of its commands', async () => {
    await follow(page, await newHome(app));
  });

  it('lists every tool with the permission that it needs', async () => {
    const home = await newHome(app);
    // A further permission, which some arguments need, follows the one with which the tool is listed.
    const rows = rowsOf(page, 'Tool', 'Does', 'Needs').map(([tool, , needs]) => [
      tool,
      /^`[^`]+`/.exec(needs!)?.[0],
    ]);
    const needed: string[][] = [];
    for (const permission of [
      'collections:read',
      'collections:write',
      'collections:create',
      'collections:manage',
    ]) {
      const { apiKey: key } = await newKey(app, home.org, { permissions: [permission] });
      const { sdk } = await connect(app, { key });
      const { tools } = await sdk.listTools();
      needed.push(...tools.map(({ name }) => [`\`${name}\``, `\`${permission}\``]));
    }
    expect(rows.sort()).toEqual(needed.sort());
  });
});

describe('docs/changes.md', async () => {
  const page = await readFile('docs/changes.md', 'utf8');

  it('states the actual answers of its commands', async () => {
    await follow(page, await newHome(app));
  });

  it('lists every kind of change and every status of a webhook', async () => {
    const { schemas } = (await app.request('GET', '/openapi.json')).body.components;
    const words = (rows: string[][]) => rows.flatMap(([cell]) => cell!.match(/[a-z]+/g) ?? []);
    expect(words(rowsOf(page, '`type`', '`record`'))).toEqual(schemas.ChangeView.properties.type.enum);
    expect(words(rowsOf(page, '`status`', ''))).toEqual(schemas.WebhookView.properties.status.enum);
  });
});

function titlesOf({ records }: { records: { title: string }[] }): string {
  return records.map(({ title }) => title).join(', ') || 'nothing';
}
