// @ts-check
import { Client } from './client.mjs';

/**
 * The lifecycle of a key that may only read this one collection: create, list, use, refuse, rotate, revoke.
 * @param {Client} owner
 * @param {{ id: string, path: string }} collection
 * @param {number} count of records that a reader must see
 * @param {import('./report.mjs').Report} report
 */
export async function tryReadKey(owner, collection, count, report) {
  const keys = `${collection.path}/api-keys`;
  const mint = {
    method: 'POST',
    path: keys,
    body: {
      name: 'Demo reader',
      slug: `demo-reader-${Date.now().toString(36)}`,
      permissions: ['collections:read'],
    },
  };
  const minted = await owner.call(mint);
  report.step(mint, `key ${minted.prefix}, scope ${minted.scope}`, minted.secret.startsWith('iak_'));
  try {
    await useKey(owner, minted, { keys, collection, count, report });
  } finally {
    await owner.call({ method: 'DELETE', path: `${keys}/${minted.id}` });
  }
}

/**
 * @param {Client} owner
 * @param {{ id: string, secret: string }} minted
 * @param {{ keys: string, collection: { path: string }, count: number, report: import('./report.mjs').Report }} context
 */
async function useKey(owner, minted, { keys, collection, count, report }) {
  const list = { method: 'GET', path: keys };
  const listed = await owner.call(list);
  const isListed = listed.items.some((/** @type {{ id: string }} */ key) => key.id === minted.id);
  const hidesSecrets = !JSON.stringify(listed).includes(minted.secret);
  report.step(list, `${listed.total} keys listed, without secrets`, isListed && hidesSecrets);

  const reader = withKey(owner, minted.secret);
  const read = { method: 'GET', path: `${collection.path}/data/count` };
  const seen = await reader.send(read);
  report.step(read, `with the key: ${seen.body.count} records`, seen.body.count === count);

  const write = { method: 'POST', path: `${collection.path}/data`, body: { records: { name: 'intruder' } } };
  const refused = await reader.send(write);
  report.step(write, `with the key: ${refused.status} ${refused.body.error}`, refused.status === 403);

  const rotate = { method: 'POST', path: `${keys}/${minted.id}/rotate`, body: {} };
  const rotated = await owner.call(rotate);
  report.step(rotate, 'same key, new secret', rotated.id === minted.id && rotated.secret !== minted.secret);

  const old = await reader.send(read);
  report.step(read, `with the old secret: ${old.status} ${old.body.error}`, old.status === 401);
  const fresh = await withKey(owner, rotated.secret).send(read);
  report.step(read, `with the new secret: ${fresh.body.count} records`, fresh.body.count === count);
}

/**
 * @param {Client} owner
 * @param {string} secret
 */
function withKey(owner, secret) {
  return new Client(owner.url, { 'x-platform-api-key': secret });
}
