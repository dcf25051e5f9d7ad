import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type NodeMcpRequestHandler, toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  type Implementation,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  type McpHttpHandler,
  ProtocolError,
  type Server,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import { isJsonObject, isTooMany } from '../../../base/kernel/json.js';
import { whenClosed } from '../../../platform/http/server/connections.js';
import { answerPlainCall, type PlainCall, plainCall } from './plain-call.js';
import type { ToolResult } from './tool-result.js';

/** Maximum number of arguments of a message. No tool has more than a tenth of it. */
const MAX_ARGUMENTS = 100;
/** Maximum number of other values of a message, which the SDK validates several times. */
const MAX_ENVELOPE_VALUES = 2_000;

/** How calls of tools are run without the SDK. */
interface PlainCalls<Session> {
  readonly identity: Implementation;
  /** Undefined for tools that the SDK has to serve. */
  run(session: Session, tool: string, args: object): Promise<ToolResult> | undefined;
}

/**
 * MCP over Streamable HTTP, stateless: `serverFor` makes a new server for every message. Serves specification
 * 2026-07-28, and older clients, which begin with `initialize`.
 */
export class McpTransport<Session> {
  private readonly handler: McpHttpHandler;
  private readonly serveNode: NodeMcpRequestHandler;

  constructor(
    private readonly serverFor: (session: Session, isModern: boolean) => Server,
    private readonly subscribe?: (
      session: Session,
      request: IncomingMessage,
      uris: readonly string[],
    ) => Promise<Subscription>,
    private readonly plain?: PlainCalls<Session>,
  ) {
    // Streams of changes have their own handlers, see `listen`.
    this.handler = this.handlerOn(undefined, 0);
    this.serveNode = toNodeHandler({
      fetch: async (request, options) => {
        const parsedBody = options?.authInfo?.extra?.body;
        const response = await this.handler.fetch(request, { ...options, parsedBody });
        return options?.authInfo?.extra?.onlyJson === true ? asJson(response) : response;
      },
    });
  }

  private handlerOn(bus: ServerEventBus | undefined, maxSubscriptions: number): McpHttpHandler {
    return createMcpHandler(
      ({ authInfo, era }) => this.serverFor(authInfo?.extra?.session as Session, era === 'modern'),
      { maxSubscriptions, ...(bus !== undefined && { bus }) },
    );
  }

  /** Answers one message. `body` is its parsed JSON. */
  async serve(
    request: IncomingMessage,
    response: ServerResponse,
    body: unknown,
    session: Session,
  ): Promise<void> {
    if (Array.isArray(body)) {
      // A batch would count as one request in the rate limit. MCP has no batches since 2025-06-18.
      answerFault(response, 400, INVALID_REQUEST, 'Send one JSON-RPC message, not a batch.');
      return;
    }
    if (isOversized(body)) {
      answerFault(
        response,
        400,
        INVALID_REQUEST,
        `A message can have at most ${MAX_ARGUMENTS} arguments and ${MAX_ENVELOPE_VALUES} other values.`,
      );
      return;
    }
    const answered = this.plain && plainAnswer(this.plain, request, response, body, session);
    if (answered !== undefined) return answered;
    const listen = listenRequest(body);
    if (listen !== undefined && this.subscribe !== undefined) {
      await this.listen(request, response, body, session, listen);
      return;
    }
    const onlyJson = takesOnlyJson(request.headers);
    if (onlyJson) request.headers = takingBoth(request.headers);
    const auth = { token: '', clientId: '', scopes: [], extra: { session, onlyJson, body } };
    await this.serveNode(Object.assign(request, { auth }), response, headOf(body));
  }

  /** Streams notifications of changed resources until the subscription ends or the client disconnects. */
  private async listen(
    request: IncomingMessage,
    response: ServerResponse,
    body: unknown,
    session: Session,
    { id, uris }: ListenRequest,
  ): Promise<void> {
    const gone = new AbortController();
    whenClosed(response, () => gone.abort());
    const subscription = await this.subscribe?.(session, request, uris).catch(error => {
      const { code, message } =
        error instanceof ProtocolError ? error : { code: INTERNAL_ERROR, message: 'Internal error' };
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }));
    });
    if (subscription === undefined) return;
    let running: Promise<void> | undefined;
    const handler = this.handlerOn(
      {
        publish: () => undefined,
        subscribe: listener => {
          const tell = ifWritable(response, uri => listener({ kind: 'resource_updated', uri }));
          running = subscription(gone.signal, tell)
            .then(end => {
              if (end === 'reset' && !gone.signal.aborted) response.write(RESET);
            })
            .finally(() => handler.close());
          return () => gone.abort();
        },
      },
      1,
    );
    const auth = { token: '', clientId: '', scopes: [], extra: { session } };
    await toNodeHandler(handler)(Object.assign(request, { auth }), response, body);
    gone.abort();
    await (running ?? subscription(gone.signal, () => undefined).then(() => undefined));
  }

  close(): Promise<void> {
    return this.handler.close();
  }
}

/** Runs and answers a message that does not need the SDK; undefined for others. */
function plainAnswer<Session>(
  plain: PlainCalls<Session>,
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
  session: Session,
): Promise<void> | undefined {
  const call = plainCall(request, body);
  const running = call && plain.run(session, call.name, call.args);
  return running?.then(result => answerPlainCall(response, call as PlainCall, result, plain.identity));
}

/**
 * Calls `tell` with the URI of each changed resource. Runs until `gone`, or until the rights of the caller change: `reset`
 * when it may still read the resources, with other rules.
 */
export type Subscription = (gone: AbortSignal, tell: (uri: string) => void) => Promise<'reset' | 'ended'>;

/** The last event of a stream whose client must read the resources again. */
const RESET = 'event: reset\ndata: {"error":"PositionReset"}\n\n';

/** True for a message that would keep the SDK busy. The SDK does not look into the values of arguments. */
function isOversized(body: unknown): boolean {
  if (!isJsonObject(body)) return false;
  if (!isJsonObject(body.params)) return isTooMany(body, MAX_ENVELOPE_VALUES);
  const { arguments: args, ...others } = body.params;
  if (isJsonObject(args) ? Object.keys(args).length > MAX_ARGUMENTS : isTooMany(args, MAX_ARGUMENTS))
    return true;
  return isTooMany({ ...body, params: others }, MAX_ENVELOPE_VALUES);
}

/**
 * The part of a message that the SDK's Node adapter needs for its error answers. The adapter serializes what it gets,
 * so this is small; the handler gets the parsed message.
 */
function headOf(body: unknown): unknown {
  return isJsonObject(body) ? { id: body.id, method: body.method } : body;
}

interface ListenRequest {
  readonly id: unknown;
  readonly uris: readonly string[];
}

/** The id and resources of a `subscriptions/listen` request; undefined for other messages. */
function listenRequest(body: unknown): ListenRequest | undefined {
  const { id, method, params } = (body ?? {}) as Record<string, unknown>;
  if (method !== 'subscriptions/listen' || id === undefined) return undefined;
  const { notifications } = (params ?? {}) as { notifications?: { resourceSubscriptions?: unknown } | null };
  const wanted = notifications?.resourceSubscriptions;
  const uris = Array.isArray(wanted) ? wanted.filter(uri => typeof uri === 'string') : [];
  return { id, uris };
}

/** Sends at once. While the client does not read, it collects the URIs and sends each once after `drain`. */
function ifWritable(response: ServerResponse, tell: (uri: string) => void): (uri: string) => void {
  const waiting = new Set<string>();
  response.on('drain', () => {
    for (const uri of waiting) tell(uri);
    waiting.clear();
  });
  return uri => {
    if (response.writableNeedDrain) waiting.add(uri);
    else tell(uri);
  };
}

/** Sends a JSON-RPC error for a message whose id is unknown. */
export function answerFault(
  response: ServerResponse,
  status: number,
  code: number,
  message: string,
  data?: object,
): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message, data } }));
}

const BOTH = 'application/json, text/event-stream';
const EVENT_STREAM = 'text/event-stream';

/** True for a client that does not accept event streams. It gets the answer as JSON, without notifications. */
function takesOnlyJson({ accept = '*/*' }: IncomingHttpHeaders): boolean {
  return !accept.includes(EVENT_STREAM);
}

/** Adds both media types to the Accept header, because the SDK refuses clients that accept only JSON. */
function takingBoth(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return { ...headers, accept: BOTH };
}

/** Turns an event stream into JSON: its last event is the answer. Returns other responses unchanged. */
async function asJson(response: Response): Promise<Response> {
  if (response.headers.get('content-type')?.startsWith(EVENT_STREAM) !== true) return response;
  const events = (await response.text()).split(/\r?\n\r?\n/);
  const answer = events.map(dataOf).findLast(data => data !== '');
  const { status } = response;
  return new Response(answer ?? null, { status, headers: { 'content-type': 'application/json' } });
}

/** The data of a server-sent event, without its other fields and comments. */
function dataOf(event: string): string {
  return event
    .split(/\r?\n/)
    .filter(line => line.startsWith('data:'))
    .map(line => line.slice('data:'.length).trim())
    .join('\n');
}
