import type { TestApp, TestResponse } from '../../harness/app.js';
import type { Caller, Home, TestCollection } from '../../harness/collection.js';
import { newCollection } from '../../harness/collection.js';
import type { Person } from '../auth/person.js';
import { newMember } from '../orgs/org.js';

/** The parts of a grant with which it restricts. */
export interface GrantParts {
  readonly rules?: object | null;
  readonly fields?: object | null;
  readonly limits?: object | null;
}

/** A member whose only access is a binding with these parts. */
export async function ruledMember(
  app: TestApp,
  home: Home,
  { path, owner }: TestCollection,
  role: 'reader' | 'editor',
  parts: GrantParts,
): Promise<Person> {
  const member = await newMember(app, home.org);
  const body = { principal_type: 'user', principal_id: member.userId, role, ...parts };
  const { status, text } = await app.request('POST', `${path}/access`, { ...owner, body });
  if (status !== 201) throw new Error(`nothing was granted: ${status} ${text}`);
  return member;
}

/** Columns of the collections of these tests, beside flexible fields. */
export const COLUMNS = {
  name: { type: 'text' },
  team: { type: 'text' },
  status: { type: 'text' },
  amount: { type: 'integer' },
  margin: { type: 'double' },
  due: { type: 'date' },
  at: { type: 'datetime' },
  tags: { type: 'array' },
  info: { type: 'json' },
} as const;

/** Records of two teams; `secret` and `note` are flexible. */
const RECORDS = [
  {
    name: 'a',
    team: 'red',
    status: 'draft',
    amount: 1,
    margin: 0.1,
    due: '2026-01-01',
    at: '2026-01-01T00:00:00Z',
    tags: ['x', 'y'],
    info: { k: 1 },
    secret: 's1',
    note: 'n1',
  },
  { name: 'b', team: 'red', status: 'submitted', amount: 2, margin: 0.2, tags: ['y'], secret: 's2' },
  {
    name: 'c',
    team: 'blue',
    status: 'draft',
    amount: 4,
    margin: 0.4,
    due: '2026-03-01',
    info: { k: 2 },
    note: 'n3',
  },
  {
    name: 'd',
    team: 'blue',
    status: 'draft',
    amount: 8,
    margin: 0.8,
    at: '2026-04-01T00:00:00Z',
    secret: 's4',
  },
  { name: 'e', team: 'green', status: 'submitted', amount: 16, secret: 's5', note: 'n5' },
];

/** A collection with the records, and their ids by name. */
export async function ruledCollection(
  app: TestApp,
  home: Home,
  settings: object = {},
): Promise<TestCollection & { ids: Record<string, string> }> {
  const collection = await newCollection(app, home, { properties: COLUMNS, ...settings });
  const { body } = await app.request('POST', collection.data, {
    ...collection.owner,
    body: { records: RECORDS },
  });
  const ids = Object.fromEntries(RECORDS.map(({ name }, at) => [name, body.ids[at]]));
  return { ...collection, ids };
}

/** The records that a caller gets for a query, by name. */
export async function seen(
  app: TestApp,
  { data }: Pick<TestCollection, 'data'>,
  caller: Caller,
  search: object = {},
): Promise<Record<string, unknown>[]> {
  const answer: TestResponse = await app.request('POST', `${data}/query`, {
    ...caller,
    body: { sort: { name: 1 }, ...search },
  });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body.records;
}

/** The status, the code and the details of a refusal. */
export function refusalOf({ status, body }: TestResponse): unknown[] {
  return [status, body.error, body.details];
}

/** Gives a member other parts. */
export async function regrant(
  app: TestApp,
  { id }: Pick<TestCollection, 'id'>,
  { userId }: Pick<Person, 'userId'>,
  parts: GrantParts,
): Promise<void> {
  await app.sql(
    'UPDATE collection_bindings SET rules = $1, fields = $2 WHERE user_id = $3 AND collection_id = $4',
    [parts.rules, parts.fields, userId, id],
  );
}
