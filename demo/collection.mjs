// @ts-check

const NAME = 'packages';
/** Small enough that the progress bar moves, far below the limits of 5,000 records and 10 MiB. */
const BATCH = 100;

const DEFINITION = {
  name: NAME,
  description: "This project's own dependency tree: every installed package of package-lock.json.",
  properties: {
    name: { type: 'text', nullable: false },
    version: { type: 'text', nullable: false },
    path: { type: 'text', nullable: false },
    license: { type: 'text' },
    size_bytes: { type: 'integer', nullable: false },
    dependency_count: { type: 'integer', nullable: false },
    dev: { type: 'boolean', nullable: false },
    entry_points: { type: 'array' },
    engines: { type: 'json' },
    keywords: { type: 'array' },
    repository: { type: 'text' },
    read_at: { type: 'datetime', nullable: false },
  },
  indexes: [{ properties: ['license'] }, { properties: ['size_bytes'] }],
  // A bulk upsert identifies records by the second column: an upsert key is one column.
  uniques: [{ properties: ['name', 'version', 'path'] }, { properties: ['path'] }],
};

/**
 * The collection of this demo. The first run creates it, later runs find it.
 * @param {import('./client.mjs').Client} client
 * @param {number} count of records it has to hold
 * @returns {Promise<{ id: string, path: string, isNew: boolean }>}
 */
export async function openCollection(client, count) {
  const max_records = Math.max(10_000, 2 * count);
  const body = { ...DEFINITION, settings: { max_records } };
  const { status, body: made } = await client.send({ method: 'POST', path: '/v1/collections', body });
  if (status === 200) return { ...located(made.collection_id), isNew: true };
  if (status !== 409) throw new Error(`the collection was refused: ${status} ${made?.message}`);
  const found = await findByName(client);
  const missing = Object.keys(DEFINITION.properties).filter(column => !(column in found.schema));
  if (missing.length > 0) {
    throw new Error(
      `a collection named ${NAME} exists but does not belong to this demo: it lacks the columns ${missing.join(', ')}`,
    );
  }
  const path = `/v1/collections/${found.collection_id}`;
  if (found.settings.max_records < count) {
    await client.call({ method: 'PATCH', path, body: { settings: { max_records } } });
  }
  return { ...located(found.collection_id), isNew: false };
}

/** @param {string} id */
function located(id) {
  return { id, path: `/v1/collections/${id}` };
}

/** @param {import('./client.mjs').Client} client */
async function findByName(client) {
  for (let page = 1, total = 1; (page - 1) * 100 < total; page++) {
    const list = await client.call({ method: 'GET', path: `/v1/collections?limit=100&page=${page}` });
    const found = list.items.find((/** @type {{ name: string }} */ each) => each.name === NAME);
    if (found) return found;
    total = list.total;
  }
  throw new Error(`a collection named ${NAME} exists but is not listed`);
}

/**
 * Inserts or updates all records, then deletes those of packages that are no longer installed.
 * @param {import('./client.mjs').Client} client
 * @param {string} path of the collection
 * @param {import('./read-packages.mjs').PackageRecord[]} records
 * @param {(done: number) => void} onProgress
 * @returns {Promise<{ calls: number, removed: number }>}
 */
export async function load(client, path, records, onProgress) {
  const read_at = new Date().toISOString();
  let calls = 0;
  for (let start = 0; start < records.length; start += BATCH) {
    const batch = records.slice(start, start + BATCH).map(record => ({ ...record, read_at }));
    await client.call({
      method: 'POST',
      path: `${path}/data/bulk`,
      body: { records: batch, upsert_key: 'path' },
    });
    calls += 1;
    onProgress(start + batch.length);
  }
  const gone = await client.all(path, { filter: { read_at: { $lt: read_at } }, fields: { _id: 1 } });
  for (const { _id } of gone) await client.call({ method: 'DELETE', path: `${path}/data/${_id}` });
  return { calls, removed: gone.length };
}
