import type { IncomingMessage, ServerResponse } from 'node:http';
import { type NodeMcpRequestHandler, toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  INVALID_REQUEST,
  type McpHttpHandler,
  type Server,
  validateHostHeader,
} from '@modelcontextprotocol/server';
import { asJson, takesOnlyJson, takingBoth } from './json-only.js';

/** Streams of `subscriptions/listen`: nothing ever changes that one would tell, and each would hold a connection. */
const MAX_STREAMS = 0;

/** No user, no path: what the SDK reads as an address must be a host (RFC 9110, 7.2). */
const HOST = /^[^@/?#\\]+$/;

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

  constructor(serverFor: (session: Session) => Server) {
    this.handler = createMcpHandler(({ authInfo }) => serverFor(authInfo?.extra?.session as Session), {
      maxSubscriptions: MAX_STREAMS,
    });
    this.serveNode = toNodeHandler({
      fetch: async (request, options) => {
        const response = await this.handler.fetch(request, options);
        return options?.authInfo?.extra?.onlyJson === true ? asJson(response) : response;
      },
    });
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
    const onlyJson = takesOnlyJson(request.headers);
    if (onlyJson) request.headers = takingBoth(request.headers);
    const auth = { token: '', clientId: '', scopes: [], extra: { session, onlyJson } };
    await this.serveNode(Object.assign(request, { auth }), response, body);
  }

  close(): Promise<void> {
    return this.handler.close();
  }
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
