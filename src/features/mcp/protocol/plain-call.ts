import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Implementation,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { isJsonObject } from '../../../base/kernel/json.js';
import { resultJson, type ToolResult } from './tool-result.js';

const MODERN = '2026-07-28';
const LEGACY: ReadonlySet<string> = new Set(
  SUPPORTED_PROTOCOL_VERSIONS.filter(version => version !== MODERN),
);
const EVENT_STREAM = 'text/event-stream';
const STREAM_HEADERS = {
  'Content-Type': EVENT_STREAM,
  'Cache-Control': 'no-cache, no-transform',
  Connection: 'keep-alive',
  'X-Accel-Buffering': 'no',
};

/** A `tools/call` that needs nothing of the protocol but its result. */
export interface PlainCall {
  readonly id: string | number;
  readonly name: string;
  readonly args: object;
  /** How the result is sent: in JSON of 2026-07-28, or in JSON or an event stream of 2025. */
  readonly form: 'modern' | 'json' | 'stream';
}

/**
 * Reads a message without the SDK, which takes three times as long as most tools. Returns undefined for every message
 * that is not certain to be a valid call of a tool without progress notifications: the SDK serves it.
 */
export function plainCall({ headers }: IncomingMessage, body: unknown): PlainCall | undefined {
  if (!isJsonObject(body) || body.method !== 'tools/call' || !hasOnly(body, MESSAGE)) return undefined;
  const { jsonrpc, id, params } = body;
  if (jsonrpc !== '2.0' || !(typeof id === 'string' || Number.isSafeInteger(id))) return undefined;
  if (!isJsonObject(params) || !hasOnly(params, PARAMS)) return undefined;
  const { name, arguments: args = {}, _meta } = params;
  if (typeof name !== 'string' || !isJsonObject(args)) return undefined;
  const form = _meta === undefined ? legacyForm(headers) : modernForm(headers, name, _meta);
  return form && { id: id as string | number, name, args, form };
}

const MESSAGE = new Set(['jsonrpc', 'id', 'method', 'params']);
const PARAMS = new Set(['name', 'arguments', '_meta']);
const META = new Set([PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY]);
const CLIENT_INFO = new Set(['name', 'version']);

function hasOnly(object: object, names: ReadonlySet<string>): boolean {
  return Object.keys(object).every(name => names.has(name));
}

function legacyForm(headers: IncomingMessage['headers']): 'json' | 'stream' | undefined {
  const version = headers['mcp-protocol-version'];
  if (version !== undefined && !LEGACY.has(version as string)) return undefined;
  if (headers['mcp-method'] !== undefined || headers['mcp-name'] !== undefined) return undefined;
  const { accept = '*/*' } = headers;
  if (!isJson(headers) || (accept.includes(EVENT_STREAM) && !accept.includes('application/json')))
    return undefined;
  return accept.includes(EVENT_STREAM) ? 'stream' : 'json';
}

/** The headers repeat the version, the method and the name of the tool (MCP 2026-07-28, Standard headers). */
function modernForm(headers: IncomingMessage['headers'], name: string, meta: unknown): 'modern' | undefined {
  const isRepeated =
    headers['mcp-protocol-version'] === MODERN &&
    headers['mcp-method'] === 'tools/call' &&
    headers['mcp-name'] === name;
  return isRepeated && isJson(headers) && isPlainMeta(meta) ? 'modern' : undefined;
}

function isPlainMeta(meta: unknown): boolean {
  if (!isJsonObject(meta) || !hasOnly(meta, META) || meta[PROTOCOL_VERSION_META_KEY] !== MODERN) return false;
  const [client, capabilities] = [meta[CLIENT_INFO_META_KEY], meta[CLIENT_CAPABILITIES_META_KEY]];
  if (!isJsonObject(client) || !hasOnly(client, CLIENT_INFO)) return false;
  const hasNames = typeof client.name === 'string' && typeof client.version === 'string';
  return hasNames && isJsonObject(capabilities) && Object.keys(capabilities).length === 0;
}

function isJson({ 'content-type': type }: IncomingMessage['headers']): boolean {
  return type === 'application/json' || type?.startsWith('application/json;') === true;
}

/** Sends the result as the SDK does. */
export function answerPlainCall(
  response: ServerResponse,
  { id, form }: PlainCall,
  result: ToolResult,
  server: Implementation,
): void {
  const more = form === 'modern' ? { resultType: 'complete', _meta: { [SERVER_INFO_META_KEY]: server } } : {};
  const message = `{"result":${resultJson(result, more)},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
  if (form === 'stream') {
    response.writeHead(200, STREAM_HEADERS).end(`event: message\ndata: ${message}\n\n`);
    return;
  }
  const bytes = Buffer.from(message);
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length }).end(bytes);
}
