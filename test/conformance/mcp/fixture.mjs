import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from '@modelcontextprotocol/server';
import { refusalOf } from '../../../dist/src/features/mcp/protocol/dns-rebinding.guard.js';
import { answerFault, McpTransport } from '../../../dist/src/features/mcp/protocol/transport.js';

/**
 * The tools, resources and prompts that the conformance tool requires by name, served by the service's own
 * transport.
 */

/** One red pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==';
/** The header of a WAV file without sound. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';

const text = value => ({ type: 'text', text: value });
const image = { type: 'image', data: PNG, mimeType: 'image/png' };
const embedded = (uri, mimeType, content) => ({
  type: 'resource',
  resource: { uri, mimeType, text: content },
});

const NOTHING = { type: 'object', properties: {} };

const TOOLS = {
  test_simple_text: () => [text('This is a simple text response for testing.')],
  test_image_content: () => [image],
  test_audio_content: () => [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  test_embedded_resource: () => [
    embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ],
  test_multiple_content_types: () => [
    text('Multiple content types test:'),
    image,
    embedded(
      'test://mixed-content-resource',
      'application/json',
      JSON.stringify({ test: 'data', value: 123 }),
    ),
  ],
  test_error_handling: () => {
    throw new Error('This tool intentionally returns an error for testing');
  },
  test_missing_capability: (_, { sampling }) => {
    if (sampling !== undefined) return [text('The client can sample.')];
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
  },
  // Like the service's tools, these send no log messages and no requests to the client.
  test_logging_tool: () => [text('Nothing was logged.')],
  test_tool_with_progress: async (_args, _capabilities, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 100 },
      });
    }
    return [text('Done.')];
  },
  test_streaming_elicitation: () => [text('Nothing was asked.')],
  json_schema_2020_12_tool: args => [text(JSON.stringify(args))],
};

const SCHEMAS = {
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
};

const RESOURCES = {
  'test://static-text': {
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  'test://static-binary': { mimeType: 'image/png', blob: PNG },
};

const user = content => ({ role: 'user', content });

const PROMPTS = {
  test_simple_prompt: { names: [], say: () => [user(text('This is a simple prompt for testing.'))] },
  test_prompt_with_arguments: {
    names: ['arg1', 'arg2'],
    say: ({ arg1, arg2 }) => [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  },
  test_prompt_with_embedded_resource: {
    names: ['resourceUri'],
    say: ({ resourceUri }) => [
      user(embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
      user(text('Please process the embedded resource above.')),
    ],
  },
  test_prompt_with_image: {
    names: [],
    say: () => [user(image), user(text('Please analyze the image above.'))],
  },
};

async function callTool({ name, arguments: args }, capabilities, context) {
  if (!Object.hasOwn(TOOLS, name)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown tool');
  try {
    return { content: await TOOLS[name](args, capabilities, context) };
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    return { content: [text(error.message)], isError: true };
  }
}

function readResource({ uri }) {
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
  if (id !== undefined) {
    const data = { id, templateTest: true, data: `Data for ID: ${id}` };
    return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(data) }] };
  }
  if (!Object.hasOwn(RESOURCES, uri)) throw new ResourceNotFoundError(uri);
  return { contents: [{ uri, ...RESOURCES[uri] }] };
}

function getPrompt({ name, arguments: args = {} }) {
  if (!Object.hasOwn(PROMPTS, name))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown prompt');
  return { messages: PROMPTS[name].say(args) };
}

function fixtureServer() {
  const server = new Server(
    { name: 'conformance-fixture', version: '1.0.0' },
    { capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} } },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: Object.keys(TOOLS).map(name => ({
      name,
      description: `Fixture ${name}`,
      inputSchema: SCHEMAS[name] ?? NOTHING,
    })),
  }));
  server.setRequestHandler('tools/call', ({ params }, context) =>
    callTool(params, server.getClientCapabilities() ?? {}, context),
  );
  server.setRequestHandler('completion/complete', ({ params }) => {
    const values = ['paris', 'park', 'party'].filter(value => value.startsWith(params.argument.value));
    return { completion: { values, total: values.length, hasMore: false } };
  });
  server.setRequestHandler('resources/list', () => ({
    resources: Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({
      uri,
      name: uri,
      description: `Fixture ${uri}`,
      mimeType,
    })),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      { name: 'template', description: 'Fixture template', uriTemplate: 'test://template/{id}/data' },
    ],
  }));
  server.setRequestHandler('resources/read', ({ params }) => readResource(params));
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(PROMPTS).map(([name, { names }]) => ({
      name,
      description: `Fixture ${name}`,
      arguments: names.map(each => ({ name: each, description: each, required: true })),
    })),
  }));
  server.setRequestHandler('prompts/get', ({ params }) => getPrompt(params));
  return server;
}

async function jsonOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

/** Starts the fixture on a free port of loopback. Returns its address and a function that stops it. */
export async function startFixture() {
  const transport = new McpTransport(
    fixtureServer,
    async (_session, _request, uris) => async (gone, tell) => {
      while (!gone.aborted) {
        for (const uri of uris) tell(uri);
        await pause(200);
      }
    },
  );
  const server = createServer(async (request, response) => {
    const refusal = refusalOf(request.headers, callers);
    if (refusal !== undefined) return answerFault(response, 403, -32_600, refusal);
    if (request.method !== 'POST') return response.writeHead(405, { Allow: 'POST' }).end();
    const body = await jsonOf(request).catch(() => undefined);
    if (body === undefined) return answerFault(response, 400, -32_700, 'The body is not valid JSON.');
    await transport.serve(request, response, body, undefined);
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const callers = { hosts: ['localhost', '127.0.0.1'], admits: each => each === origin };
  return {
    url: `${origin}/mcp`,
    stop: async () => {
      await transport.close();
      server.close();
      server.closeAllConnections();
    },
  };
}
