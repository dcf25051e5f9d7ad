// An agent that uses one collection over MCP. Its key reaches no other collection, and the service shows it only the
// tools that the key permits.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { connection, run } from '../run.mjs';

/**
 * @typedef {{ name: string, arguments: Record<string, unknown> }} Call
 * @typedef {{ isError: boolean, text: string, data: any }} Result
 * @typedef {Generator<Call, string, Result>} Decisions
 */

await run(['collection'], async collection => {
  const { url, key, token } = connection();
  const client = new Client(
    { name: 'example-agent', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' } },
  );
  const endpoint = new URL(`${url}/v1/collections/${encodeURIComponent(collection)}/mcp`);
  const headers = new Headers(key ? { 'x-platform-api-key': key } : { authorization: `Bearer ${token}` });
  await client.connect(new StreamableHTTPClientTransport(endpoint, { requestInit: { headers } }));

  const { tools } = await client.listTools();
  console.log(`tools: ${tools.map(({ name }) => name).join(', ')}`);

  const decisions = decide(tools.map(({ name }) => name));
  let decision = decisions.next();
  while (!decision.done) {
    const call = decision.value;
    console.log(`call: ${call.name} ${JSON.stringify(call.arguments)}`);
    const { content, structuredContent, isError = false } = await client.callTool(call);
    const text = content.map(part => (part.type === 'text' ? part.text : '')).join('\n');
    if (isError) console.log(`refused: ${text}`);
    decision = decisions.next({ isError, text, data: structuredContent });
  }
  console.log(`answer: ${decision.value}`);
  await client.close();
});

/**
 * A language model would decide here. It gets the names, descriptions and schemas of the tools and the task of its user,
 * and returns the next call or the answer. It gets the text of every result, also of refusals: they say how to correct
 * the call. This script makes the calls that a model would make for "Add Emma of 1815. Which books are from before 1900?"
 *
 * @param {string[]} tools
 * @returns {Decisions}
 */
function* decide(tools) {
  const missing = ['data_insert', 'data_query'].filter(tool => !tools.includes(tool));
  if (missing.length > 0) return `The key does not permit ${missing.join(' and ')}.`;

  const records = [{ title: 'Emma', year: 1815 }];
  const inserted = yield { name: 'data_insert', arguments: { records } };
  if (inserted.isError) return 'The record could not be inserted.';

  // The operator lacks its $, a usual mistake of models. The refusal or a hint says so.
  let found = yield { name: 'data_query', arguments: { filter: { year: { lt: 1900 } } } };
  if (found.isError || found.data.hints !== undefined) {
    found = yield { name: 'data_query', arguments: { filter: { year: { $lt: 1900 } }, sort: { year: 1 } } };
  }
  if (found.isError) return 'The collection could not be queried.';
  return found.data.records.map((/** @type {any} */ { title, year }) => `${title} (${year})`).join(', ');
}
