import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/kernel/json.js';
import { anyDocument, anyFilter } from '../../conformance/arbitrary.js';
import { answers } from '../../conformance/model.js';
import { TYPED_PATHS, typedDocument } from '../../conformance/operators.js';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  type Caller,
  type Home,
  insert,
  newCollection,
  newHome,
  type TestCollection,
} from '../../harness/collection.js';
import { Dice, seedOr, TIMES } from '../../harness/dice.js';
import { newMember } from '../orgs/org.js';
import { type Bound, newGroup, withGroup, withOrg, withUser } from '../sharing/sharing.js';

const SEED = seedOr(20_261_128);
const ROUNDS = 12 * TIMES;
const FILTERS = 8;
const DOCUMENTS = 80;
/** Names that no filter of these tests uses. */
const ALWAYS = ['_id', 'created_at', 'updated_at'];

/** A grant of the test, and what the model needs of it. */
interface Grant {
  readonly rules: { readonly read: JsonObject | boolean };
  readonly fields?: { readonly read: Readonly<Record<string, 0 | 1>> };
}

function shows({ fields }: Grant, name: string): boolean {
  if (fields === undefined || ALWAYS.includes(name)) return true;
  const [first] = Object.values(fields.read);
  return first === 1 ? fields.read[name] === 1 : fields.read[name] !== 0;
}

function holds({ rules: { read } }: Grant, document: JsonObject): boolean {
  return typeof read === 'boolean' ? read : answers(read, document);
}

/** The document as a caller with these grants sees it; undefined when it does not. */
function seenBy(grants: readonly Grant[], document: JsonObject): JsonObject | undefined {
  const holding = grants.filter(grant => holds(grant, document));
  if (holding.length === 0) return undefined;
  return Object.fromEntries(
    Object.entries(document).filter(([name]) => holding.some(grant => shows(grant, name))),
  );
}

/** The top-level fields that a filter names. */
function heads(filter: JsonObject): string[] {
  return Object.entries(filter).flatMap(([name, operand]) =>
    name.startsWith('$') ? (operand as JsonObject[]).flatMap(heads) : [name.split('.', 1)[0] as string],
  );
}

describe('random rules over random records', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });

  const TABLES = [
    {
      of: 'flexible fields',
      columns: {},
      document: anyDocument,
      filter: anyFilter(),
      names: ['a', 'b', 'c'],
    },
    {
      of: 'typed columns',
      columns: { i: 'integer', d: 'double', s: 'text', t: 'boolean', a: 'json', b: 'array' },
      document: typedDocument as unknown as fc.Arbitrary<JsonObject>,
      filter: anyFilter(fc.constantFrom(...TYPED_PATHS)),
      names: ['i', 'd', 's', 't', 'a', 'b'],
    },
  ];

  it.each(TABLES)('show what the model shows: $of', async ({ columns, document, filter, names }) => {
    const dice = new Dice(SEED);
    const properties = Object.fromEntries(Object.entries(columns).map(([name, type]) => [name, { type }]));
    const collection = await newCollection(app, home, { properties });
    const sampled = structuredClone(fc.sample(document, { seed: SEED, numRuns: DOCUMENTS }));
    const ids = await insert(app, collection, ...sampled);
    const nulls = Object.fromEntries(Object.keys(columns).map(name => [name, null]));
    const documents = sampled.map(each => ({ ...nulls, ...each }));
    const caller = await newMember(app, home.org);
    const bounds = [
      withUser(caller),
      withGroup(home.org, await newGroup(app, home.org, caller)),
      withOrg(home.org),
    ];
    const filters = structuredClone(fc.sample(filter, { seed: SEED + 1, numRuns: ROUNDS * (FILTERS + 3) }));
    let compared = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const grants = await granted(collection, bounds.slice(0, 1 + dice.below(3)), () => {
        const rule = filters.pop() as JsonObject;
        const read = Object.keys(rule).length === 0 ? dice.below(2) === 0 : rule;
        if (dice.below(3) === 0) return { rules: { read } };
        const mode = dice.below(2) as 0 | 1;
        return {
          rules: { read },
          fields: { read: Object.fromEntries(dice.some(names, 2).map(name => [name, mode])) },
        };
      });
      const views = documents.map(each => seenBy(grants, each));
      for (let n = 0; n < FILTERS; n++) {
        const asked = filters.pop() as JsonObject;
        const hidden = [...new Set(heads(asked))].filter(name => !grants.some(grant => shows(grant, name)));
        const answer = await found(collection, caller, asked);
        if (hidden.length > 0) {
          expect([answer.error, answer.details]).toEqual([
            'FieldForbidden',
            { fields: expect.arrayContaining(hidden) },
          ]);
          continue;
        }
        const expected = new Map(
          views.flatMap((view, at): [string, JsonObject][] =>
            view !== undefined && answers(asked, view) ? [[ids[at] as string, view]] : [],
          ),
        );
        const shown = { grants, asked };
        expect({ ...shown, ids: [...answer.records.keys()].sort() }).toEqual({
          ...shown,
          ids: [...expected.keys()].sort(),
        });
        for (const [id, record] of answer.records)
          expect({ ...shown, record }).toEqual({ ...shown, record: expected.get(id) });
        expect(await counted(collection, caller, asked)).toBe(expected.size);
        compared += documents.length;
      }
    }
    expect(compared).toBeGreaterThan(ROUNDS * DOCUMENTS);
  });

  /** Grants to each principal, and takes away the access of the others. */
  async function granted(
    { path, owner }: TestCollection,
    bounds: readonly Bound[],
    grant: () => Grant,
  ): Promise<Grant[]> {
    const { body } = await app.request('GET', `${path}/access`, owner);
    for (const { principal_type, principal_id, role } of body.items) {
      if (role === 'owner') continue;
      await app.request(
        'DELETE',
        `${path}/access/${principal_type}/${encodeURIComponent(principal_id)}`,
        owner,
      );
    }
    const made: Grant[] = [];
    for (const bound of bounds) {
      const each = grant();
      const { status, text } = await app.request('POST', `${path}/access`, {
        ...owner,
        body: { ...bound, role: 'reader', ...each },
      });
      if (status === 201) made.push(each);
      else if (!text.includes('conditions')) throw new Error(text);
    }
    return made;
  }

  async function found({ data }: TestCollection, caller: Caller, filter: JsonObject) {
    const { status, body, text } = await app.request('POST', `${data}/query`, {
      ...caller,
      body: { filter, limit: DOCUMENTS },
    });
    if (status !== 200 && status !== 403) throw new Error(`${JSON.stringify(filter)}: ${text}`);
    const records = new Map<string, JsonObject>(
      (body.records ?? []).map(({ _id, created_at, updated_at, ...record }: JsonObject) => [_id, record]),
    );
    return { ...body, records };
  }

  async function counted({ data }: TestCollection, caller: Caller, filter: JsonObject): Promise<number> {
    return (await app.request('POST', `${data}/count`, { ...caller, body: { filter } })).body.count;
  }
});
