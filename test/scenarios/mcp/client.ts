import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { TestApp } from '../../harness/app.js';
import type { Caller } from '../../harness/collection.js';

/** The supported protocol versions, newest first. */
export const VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18'] as const;
export type Version = (typeof VERSIONS)[number];

/** The answer of a tool as a model and a program see it. */
interface ToolResult {
  /** The text part. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on it
  readonly data: any;
  /** The error code of a refusal. */
  readonly error: string | undefined;
  readonly message: string | undefined;
}

/** A connected client of the official SDK. */
export interface McpClient {
  readonly sdk: Client;
  call(tool: string, args?: Record<string, unknown>): Promise<ToolResult>;
}

/** The tools that every key that may read can use, in the order of the list. */
export const READING_TOOLS: readonly string[] = [
  'data_discover',
  'data_query',
  'data_get',
  'data_history',
  'data_count',
  'data_distinct',
  'data_aggregate',
];

/** What a client of 2026-07-28 or later sends as `_meta` with each message. */
export function metaOf(version: string): object {
  return {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
}

/** The header with the credential of a caller. */
export function credentials({ token, key }: Caller): Record<string, string> {
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  return key === undefined ? {} : { 'x-platform-api-key': key };
}

/** Connects to an endpoint (default `/v1/mcp`) as a client of the given version. */
export async function connect(
  { url }: Pick<TestApp, 'url'>,
  caller: Caller,
  { path = '/v1/mcp', version = '2026-07-28' }: { path?: string; version?: Version } = {},
): Promise<McpClient> {
  const sdk = new Client({ name: 'test', version: '1' }, negotiating(version));
  const transport = new StreamableHTTPClientTransport(new URL(path, url), {
    requestInit: { headers: credentials(caller) },
  });
  await sdk.connect(transport);
  return { sdk, call: (tool, args = {}) => callTool(sdk, tool, args) };
}

function negotiating(version: Version): ClientOptions {
  if (version === '2026-07-28') return { versionNegotiation: { mode: { pin: version } } };
  return { versionNegotiation: { mode: 'legacy' }, supportedProtocolVersions: [version] };
}

async function callTool(sdk: Client, name: string, args: Record<string, unknown>): Promise<ToolResult> {
  const { content, structuredContent, isError } = await sdk.callTool({ name, arguments: args });
  const text = (content as { text: string }[]).map(part => part.text).join('\n');
  const { error, message } = isError ? JSON.parse(text) : {};
  return { text, data: structuredContent, error, message };
}

/** The data of the text part, inside the tag that delimits it. */
export function dataIn(text: string): { tag: string; data: unknown } {
  const [, tag = '', json = 'null'] = /\n<(data-[0-9a-f]+)>\n([\s\S]*)\n<\/\1>$/.exec(text) ?? [];
  return { tag, data: JSON.parse(json) };
}

/** A message as raw bytes, for input that no correct client sends. */
export function send(
  app: TestApp,
  caller: Caller,
  message: unknown,
  { path = '/v1/mcp', headers = {} }: { path?: string; headers?: Record<string, string> } = {},
) {
  return app.request('POST', path, {
    ...caller,
    raw: typeof message === 'string' ? message : JSON.stringify(message),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
  });
}
