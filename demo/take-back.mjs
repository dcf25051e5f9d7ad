// @ts-check
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client } from './client.mjs';

/** The agent means the packages without a licence. A column always exists, so this filter matches every package. */
const TOO_WIDE = { license: { $exists: true } };
const UPDATE = { $set: { license: 'UNKNOWN' } };

/**
 * An agent that is connected over MCP changes too many records. The owner finds the write in the audit log, looks at
 * what its undo would do, and undoes it.
 * @param {Client} owner
 * @param {{ path: string }} collection
 * @param {() => Promise<boolean>} agreesWithFiles asks a question whose answer the agent spoils
 * @param {import('./report.mjs').Report} report
 */
export async function takeBack(owner, collection, agreesWithFiles, report) {
  const keys = `${collection.path}/api-keys`;
  const minted = await owner.call({
    method: 'POST',
    path: keys,
    body: {
      name: 'Demo agent',
      slug: `demo-agent-${Date.now().toString(36)}`,
      permissions: ['collections:read', 'collections:write'],
    },
  });
  try {
    const changed = await makeMess(owner.url, minted.secret, collection, report);
    report.check(!(await agreesWithFiles()), 'the number of packages per licence differs from the files now');
    await undo(owner, collection, { keyId: minted.id, changed }, report);
    report.check(await agreesWithFiles(), 'the number of packages per licence agrees with the files again');
  } finally {
    await owner.call({ method: 'DELETE', path: `${keys}/${minted.id}` });
  }
}

/**
 * @param {string} url
 * @param {string} secret
 * @param {{ path: string }} collection
 * @param {import('./report.mjs').Report} report
 * @returns {Promise<number>} records that the agent changed
 */
async function makeMess(url, secret, { path }, report) {
  const agent = new McpClient({ name: 'demo-agent', version: '1.0.0' });
  const endpoint = new URL(`${path}/mcp`, url);
  const requestInit = { headers: { 'x-platform-api-key': secret } };
  await agent.connect(new StreamableHTTPClientTransport(endpoint, { requestInit }));
  try {
    const call = {
      name: 'data_update',
      arguments: { filter: TOO_WIDE, update: UPDATE, max_affected: 100_000 },
    };
    report.say(`  MCP ${path}/mcp\n  ${JSON.stringify(call)}`);
    const { structuredContent, isError } = await agent.callTool(call);
    const { updated_count = 0 } = /** @type {{ updated_count?: number }} */ (structuredContent ?? {});
    report.check(!isError && updated_count > 0, `the agent changed ${updated_count} packages`);
    return updated_count;
  } finally {
    await agent.close();
  }
}

/**
 * @param {Client} owner
 * @param {{ path: string }} collection
 * @param {{ keyId: string, changed: number }} mess
 * @param {import('./report.mjs').Report} report
 */
async function undo(owner, { path }, { keyId, changed }, report) {
  const audit = { method: 'GET', path: `${path}/audit?actor_id=${keyId}` };
  const { items } = await owner.call(audit);
  const [event] = items;
  report.step(
    audit,
    `${event?.type} of ${event?.count} records by the key of the agent, over ${event?.actor.via}`,
    items.length === 1 && event.count === changed,
  );

  const preview = { method: 'POST', path: `${path}/undo`, body: { event_ids: [event.id], dry_run: true } };
  const would = await owner.call(preview);
  report.step(
    preview,
    `${would.undone} records would be put back, with ${would.conflicts.length} conflicts; nothing is written yet`,
    would.undone === changed && would.event_id === null,
  );

  const undoing = { method: 'POST', path: `${path}/undo`, body: { event_ids: [event.id] } };
  const { undone, event_id } = await owner.call(undoing);
  report.step(undoing, `${undone} records are put back; audit event ${event_id}`, undone === changed);
}
