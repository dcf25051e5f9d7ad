// An agent that works on one collection over MCP: node examples/agent.mjs <id of the collection> <text>
// TC_KEY is a key of this collection with collections:read and collections:write, so that the agent can do nothing else.
// A language model would choose the tools and their arguments; here the choice is written down.
import process from 'node:process';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [collection, text] = process.argv.slice(2);
if (text === undefined) {
  console.error('Usage: node examples/agent.mjs <id of the collection> <text>');
  process.exit(2);
}
const address = new URL(`/v1/collections/${collection}/mcp`, process.env.TC_URL);
const agent = new Client({ name: 'example-agent', version: '1.0.0' });
await agent.connect(
  new StreamableHTTPClientTransport(address, {
    requestInit: { headers: { 'x-platform-api-key': process.env.TC_KEY } },
  }),
);

/** Calls a tool. A refusal is a result too: a language model reads it and corrects its call. */
async function use(name, args) {
  const { structuredContent, content, isError } = await agent.callTool({ name, arguments: args });
  if (isError) throw new Error(`${name}: ${content.map(({ text }) => text).join('\n')}`);
  return structuredContent;
}

const { tools } = await agent.listTools();
console.log('tools:', tools.map(({ name }) => name).join(' '));

const { count, records } = await use('data_query', { filter: { $search: text }, limit: 5 });
console.log(`found ${count}:`, records.map(({ title }) => title).join(', '));

const { ids } = await use('data_insert', { records: [{ title: `Note: ${count} about ${text}` }] });
const { record } = await use('data_get', { record_id: ids[0] });
console.log('wrote:', record.title);

await agent.close();
