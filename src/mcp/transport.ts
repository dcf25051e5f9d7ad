import type { IncomingMessage, ServerResponse } from 'node:http';
import { type NodeMcpRequestHandler, toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  type McpHttpHandler,
  ProtocolError,
  type Server,
  type ServerEventBus,
  validateHostHeader,
} from '@modelcontextprotocol/server';
import { isJsonObject } from '../kernel/json.js';
import { isTooMany } from '../kernel/value-count.js';
import { asJson, takesOnlyJson, takingBoth } from './json-only.js';

/** No user, no path: what the SDK reads as an address must be a host (RFC 9110, 7.2). */
const HOST = /^[^@/?#\\]+$/;

/** Arguments of a message; no tool has a tenth as many. */
const MAX_ARGUMENTS = 100;
/** Values of a message beside those of its arguments, all of which the SDK looks at several times. */
const MAX_ENVELOPE_VALUES = 2_000;

/** From where MCP may be reached: host names without ports, and origins of browsers' pages. */
export interface McpDoors {
  readonly hosts: readonly string[];
  /** Whether pages of an origin may call. */
  readonly admits: (origin: string) => boolean;
}

/**
 * MCP over Streamable HTTP, stateless: every message is served by a server of its own, which the given function makes
 * for the message's session. Serves specification 2026-07-28 and clients that begin with `initialize`.
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
  ) {
    // Each stream of changes has a handler of its own.
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

  /** Answers one message. `body` is its JSON, parsed. */
  async serve(
    request: IncomingMessage,
    response: ServerResponse,
    body: unknown,
    session: Session,
  ): Promise<void> {
    if (Array.isArray(body)) {
      // A batch would be many messages for the price of one; no version since 2025-06-18 has them.
      answerFault(response, 400, INVALID_REQUEST, 'Send one JSON-RPC message, not a batch.');
      return;
    }
    if (isOversized(body)) {
      answerFault(
        response,
        400,
        INVALID_REQUEST,
        `A message has at most ${MAX_ARGUMENTS} arguments, and ${MAX_ENVELOPE_VALUES} values beside them.`,
      );
      return;
    }
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

  /** A stream that tells of changed resources, for as long as the subscription lasts and the client is there. */
  private async listen(
    request: IncomingMessage,
    response: ServerResponse,
    body: unknown,
    session: Session,
    { id, uris }: ListenRequest,
  ): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
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
          const tell = whenRoom(response, uri => listener({ kind: 'resource_updated', uri }));
          running = subscription(gone.signal, tell).finally(() => handler.close());
          return () => gone.abort();
        },
      },
      1,
    );
    const auth = { token: '', clientId: '', scopes: [], extra: { session } };
    await toNodeHandler(handler)(Object.assign(request, { auth }), response, body);
    gone.abort();
    await (running ?? subscription(gone.signal, () => undefined));
  }

  close(): Promise<void> {
    return this.handler.close();
  }
}

/** Runs until `gone`, or until it may tell no more. */
export type Subscription = (gone: AbortSignal, tell: (uri: string) => void) => Promise<void>;

/** True for a message that would keep the SDK busy; what its arguments hold, it does not look at. */
function isOversized(body: unknown): boolean {
  if (!isJsonObject(body)) return false;
  if (!isJsonObject(body.params)) return isTooMany(body, MAX_ENVELOPE_VALUES);
  const { arguments: args, ...others } = body.params;
  if (isJsonObject(args) ? Object.keys(args).length > MAX_ARGUMENTS : isTooMany(args, MAX_ARGUMENTS))
    return true;
  return isTooMany({ ...body, params: others }, MAX_ENVELOPE_VALUES);
}

/**
 * What the Node adapter of the SDK needs of a message, to name it in a fault of its own. It makes text of what it is
 * given, which nobody reads: the handler gets the message as it was parsed.
 */
function headOf(body: unknown): unknown {
  return isJsonObject(body) ? { id: body.id, method: body.method } : body;
}

interface ListenRequest {
  readonly id: unknown;
  readonly uris: readonly string[];
}

/** The request of a stream and the resources it is about; undefined for any other message. */
function listenRequest(body: unknown): ListenRequest | undefined {
  const { id, method, params } = (body ?? {}) as Record<string, unknown>;
  if (method !== 'subscriptions/listen' || id === undefined) return undefined;
  const { notifications } = (params ?? {}) as { notifications?: { resourceSubscriptions?: unknown } | null };
  const wanted = notifications?.resourceSubscriptions;
  const uris = Array.isArray(wanted) ? wanted.filter(uri => typeof uri === 'string') : [];
  return { id, uris };
}

/** Tells at once, or, once each, when a client that takes nothing has taken what is there. */
function whenRoom(response: ServerResponse, tell: (uri: string) => void): (uri: string) => void {
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

/** Why a request may not come in (DNS rebinding); undefined when it may. Only browsers send an origin. */
export function doorRefusal(
  { host, origin }: IncomingMessage['headers'],
  { hosts, admits }: McpDoors,
): string | undefined {
  if (!HOST.test(host ?? '') || !validateHostHeader(host, [...hosts]).ok)
    return 'This host is not served here.';
  return origin === undefined || admits(origin) ? undefined : 'Pages of this origin may not call.';
}

/** A JSON-RPC error about a message whose id is unknown. */
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
