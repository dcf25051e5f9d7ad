import type { IncomingMessage, ServerResponse } from 'node:http';
import { type NodeMcpRequestHandler, toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  INVALID_REQUEST,
  type McpHttpHandler,
  type Server,
  validateHostHeader,
} from '@modelcontextprotocol/server';

/** What the SDK can read again as text; a record of 100 levels in a message has about 105. */
const MAX_LEVELS = 250;

/** Streams of `subscriptions/listen`: nothing ever changes that one would tell, and each would hold a connection. */
const MAX_STREAMS = 0;

/** No user, no path: what the SDK reads as an address must be a host (RFC 9110, 7.2). */
const HOST = /^[^@/?#\\]+$/;

/** From where MCP may be reached: host names without ports, and origins of browsers' pages. */
export interface McpDoors {
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
}

/**
 * MCP over Streamable HTTP, stateless: every message is served by a server of its own, which the given function makes
 * for the message's session. Serves specification 2026-07-28 and clients that begin with `initialize`.
 */
export class McpTransport<Session> {
  private readonly handler: McpHttpHandler;
  private readonly serveNode: NodeMcpRequestHandler;

  constructor(serverFor: (session: Session) => Server) {
    this.handler = createMcpHandler(({ authInfo }) => serverFor(authInfo?.extra?.session as Session), {
      maxSubscriptions: MAX_STREAMS,
    });
    this.serveNode = toNodeHandler(this.handler);
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
    if (isDeeperThan(body, MAX_LEVELS)) {
      answerFault(response, 400, INVALID_REQUEST, `The message is nested deeper than ${MAX_LEVELS} levels.`);
      return;
    }
    const auth = { token: '', clientId: '', scopes: [], extra: { session } };
    await this.serveNode(Object.assign(request, { auth }), response, body);
  }

  close(): Promise<void> {
    return this.handler.close();
  }
}

/** Level by level, as a message of many thousands would leave no room on the stack. */
function isDeeperThan(message: unknown, levels: number): boolean {
  let level = [message];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true;
    level = level.flatMap(each => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
}

/** Why a request may not come in (DNS rebinding); undefined when it may. Only browsers send an origin. */
export function doorRefusal(
  { host, origin }: IncomingMessage['headers'],
  { hosts, origins }: McpDoors,
): string | undefined {
  if (!HOST.test(host ?? '') || !validateHostHeader(host, [...hosts]).ok)
    return 'This host is not served here.';
  return origin === undefined || origins.includes(origin) ? undefined : 'Pages of this origin may not call.';
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
