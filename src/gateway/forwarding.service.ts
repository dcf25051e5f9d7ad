import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Socket } from 'node:net';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { Response } from 'express';
import { createProxyServer } from 'httpxy';
import { Settings } from '../config/settings.js';
import { IDENTITY_HEADER, IdentitySource } from '../http/identity-source.js';
import { callOf, type PlatformRequest } from '../http/platform-request.js';
import type { PlatformError } from '../kernel/errors.js';
import { callerHeaders, told } from './caller-headers.js';
import type { ForwardTarget } from './forward-target.js';
import { passedHeaders, returnedHeaders } from './forwarded-headers.js';
import { forwardedPath } from './forwarded-path.js';
import { UpstreamStalled, upstreamFailure } from './upstream-failure.js';

/** Streams hold their connection for as long as they last: there must always be one more. */
const CONNECTIONS = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 64 };

/** Has another service answer a request in the name of its caller. Bodies pass as they come, both ways. */
@Injectable()
export class Forwarding implements OnModuleDestroy {
  private readonly logger = new Logger(Forwarding.name);
  private readonly proxy = createProxyServer({ selfHandleResponse: true });
  private readonly plain = new Agent(CONNECTIONS);
  private readonly secure = new SecureAgent(CONNECTIONS);

  constructor(
    private readonly identities: IdentitySource,
    private readonly settings: Settings,
  ) {
    this.proxy.on('proxyReq', asked => this.limit(asked));
    this.proxy.on('proxyRes', (answer, _, response) => {
      answer.socket.setTimeout(this.settings.GATEWAY_IDLE_TIMEOUT_MS);
      passOn(answer, response);
    });
    this.proxy.on('proxyReqWs', (asked, request, socket) => this.join(asked, request, socket));
  }

  onModuleDestroy(): void {
    this.plain.destroy();
    this.secure.destroy();
  }

  /** Ends when all of the answer has passed. Throws 502 or 504 when there is none; never asks twice. */
  async forward(request: PlatformRequest, response: Response, target: ForwardTarget): Promise<void> {
    const { switching } = request;
    request.url = forwardedPath(request.originalUrl);
    request.headers = await this.headersFor(request, target);
    if (response.closed) return;
    if (switching !== undefined) {
      const { socket, head } = switching;
      // A failure is answered where it is noticed, in `join`: the proxy closes the connection right after.
      await this.proxy.ws(request, socket, { target: target.origin, agent: false }, head).catch(() => {});
      return;
    }
    const agent = target.origin.startsWith('https:') ? this.secure : this.plain;
    await this.proxy.web(request, response, { target: target.origin, agent }).catch(failure => {
      if (response.closed) return;
      leaveRest(request, response);
      throw this.failed(failure, target.origin);
    });
  }

  /** Order matters: nothing that a client sends comes after what is said here. */
  private async headersFor(request: PlatformRequest, target: ForwardTarget): Promise<IncomingHttpHeaders> {
    const { headers, switching, correlationId, ip, protocol, host } = request;
    const { principal } = callOf(request);
    const { origin, kind } = target;
    return told({
      ...passedHeaders(headers),
      ...(switching !== undefined && { connection: 'Upgrade', upgrade: 'websocket' }),
      host: kind === 'runtime' ? headers.host : new URL(origin).host,
      via: [headers.via, '1.1 platform'].filter(Boolean).join(', '),
      'x-forwarded-for': ip,
      'x-forwarded-proto': protocol,
      'x-forwarded-host': host,
      'x-correlation-id': correlationId,
      ...callerHeaders(principal),
      [IDENTITY_HEADER]: await this.identities.of(principal, origin),
    });
  }

  /** Ties two connections that became one WebSocket together, or says why they did not. */
  private join(
    asked: ClientRequest,
    { res: response }: IncomingMessage & { res?: Response },
    socket: Socket,
  ): void {
    this.limit(asked);
    asked.once('error', failure => {
      const { status, code, message } = this.failed(failure, asked.host);
      if (response?.headersSent === false) response.status(status).json({ error: code, message });
    });
    asked.once('upgrade', (_, upstream) => {
      upstream.once('close', () => socket.destroySoon());
      socket.once('close', () => upstream.destroy());
      // The proxy takes the limit off first.
      process.nextTick(() => {
        upstream.setTimeout(this.settings.GATEWAY_IDLE_TIMEOUT_MS, () => upstream.destroy());
      });
    });
  }

  /** Also for as long as there is no connection, which Node alone would leave to the system. */
  private limit(asked: ClientRequest): void {
    const ms = this.settings.GATEWAY_TIMEOUT_MS;
    asked.setTimeout(ms, () => asked.destroy(new UpstreamStalled()));
    if (asked.socket === null) asked.once('socket', socket => socket.setTimeout(ms));
    else asked.socket.setTimeout(ms);
  }

  private failed(failure: Error, upstream: string): PlatformError {
    const reason = failure instanceof UpstreamStalled ? 'it takes too long' : failure.message;
    this.logger.warn(`${upstream} does not answer: ${reason}`);
    return upstreamFailure(failure);
  }
}

/**
 * A stream begins before its first event: whoever asked waits for the status. Node takes any number for one and any
 * bytes behind it, but sends neither.
 */
function passOn(answer: IncomingMessage, response: ServerResponse): void {
  const { statusCode = 0, headers } = answer;
  response.writeHead(statusCode >= 200 ? statusCode : 502, returnedHeaders(headers));
  if (headers['content-length'] === undefined) response.flushHeaders();
  answer.pipe(response);
}

/** Nobody reads what else the client sends; it is told not to send more on this connection. */
function leaveRest(request: PlatformRequest, response: Response): void {
  if (request.complete) return;
  request.unpipe();
  request.resume();
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
