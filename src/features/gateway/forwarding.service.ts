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
import { PlatformError } from '../../base/kernel/errors.js';
import { Settings } from '../../platform/config/settings.js';
import { AuthenticationStep } from '../../platform/http/access/access-step.js';
import { IDENTITY_HEADER, IdentitySource } from '../../platform/http/identity-source.js';
import { callOf, type PlatformRequest } from '../../platform/http/platform-request.js';
import {
  callerHeaders,
  forwardedPath,
  passedHeaders,
  returnedHeaders,
  withoutUndefined,
} from './forwarded-request.js';

/** An upstream, and the prefix whose requests are forwarded to it. */
export interface ForwardTarget {
  readonly prefix: string;
  /** Its URL without a path; also the audience of the identity tokens that it receives. */
  readonly origin: string;
  /** The runtime belongs to the platform, so it receives the Host header of the client; a service receives its own. */
  readonly kind: 'runtime' | 'service';
}

/** What this process forwards, longest prefixes first; empty without the gateway role and without upstreams. */
export function forwardTargets({
  PLATFORM_ROLES,
  RUNTIME_URL,
  GATEWAY_UPSTREAMS,
}: Pick<Settings, 'PLATFORM_ROLES' | 'RUNTIME_URL' | 'GATEWAY_UPSTREAMS'>): ForwardTarget[] {
  const services = GATEWAY_UPSTREAMS.map(upstream => ({ ...upstream, kind: 'service' as const }));
  if (PLATFORM_ROLES.includes('runtime') || RUNTIME_URL === undefined) return services;
  return [{ prefix: '/v1', origin: RUNTIME_URL, kind: 'runtime' }, ...services];
}

/** The upstream sent nothing for longer than the timeout. */
class UpstreamStalled extends Error {}

/** Maps a failure of an upstream to the client's error, which does not say where the upstream is. */
function upstreamFailure(failure: unknown): PlatformError {
  return failure instanceof UpstreamStalled
    ? new PlatformError('GatewayTimeout', 'The service behind this path did not answer in time.')
    : new PlatformError(
        'BadGateway',
        'The service behind this path cannot be reached, or ended the connection.',
      );
}

/** Time between two checks of the caller of a forwarded request. */
const CHECK_EVERY_MS = 2_000;

/** A stream holds its connection for as long as it lasts, so the number of connections is not limited. */
const CONNECTIONS = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 64 };

/** Forwards a request to another service, with the identity of its caller. Streams both bodies. */
@Injectable()
export class Forwarding implements OnModuleDestroy {
  private readonly logger = new Logger(Forwarding.name);
  private readonly proxy = createProxyServer({ selfHandleResponse: true });
  private readonly plain = new Agent(CONNECTIONS);
  private readonly secure = new SecureAgent(CONNECTIONS);

  constructor(
    private readonly identities: IdentitySource,
    private readonly settings: Settings,
    private readonly authentication: AuthenticationStep,
  ) {
    this.proxy.on('proxyReq', asked => this.limit(asked));
    this.proxy.on('proxyRes', (answer, _, response) => {
      answer.socket.setTimeout(this.settings.GATEWAY_IDLE_TIMEOUT_MS);
      sendOn(answer, response);
    });
    this.proxy.on('proxyReqWs', (asked, request, socket) => this.join(asked, request, socket));
  }

  onModuleDestroy(): void {
    this.plain.destroy();
    this.secure.destroy();
  }

  /** Resolves when the whole response has been sent. Throws 502 or 504 when there is none; never retries. */
  async forward(request: PlatformRequest, response: Response, target: ForwardTarget): Promise<void> {
    const { switching } = request;
    // The runtime checks the callers of its streams itself.
    if (target.kind === 'service') this.endWithCaller(request, response);
    request.url = forwardedPath(request.originalUrl);
    request.headers = await this.headersFor(request, target);
    if (response.closed) return;
    if (switching !== undefined) {
      const { socket, head } = switching;
      // `join` answers a failure, because the proxy closes the connection right after it.
      await this.proxy.ws(request, socket, { target: target.origin, agent: false }, head).catch(() => {});
      return;
    }
    const agent = target.origin.startsWith('https:') ? this.secure : this.plain;
    await this.proxy.web(request, response, { target: target.origin, agent }).catch(failure => {
      if (response.closed) return;
      discardBody(request, response);
      throw this.failed(failure, target.origin);
    });
  }

  /**
   * Checks the caller again every two seconds, and ends the connection when the credential is no longer valid. A caller
   * who cannot be checked, because the database is away, stays.
   */
  private endWithCaller(request: PlatformRequest, response: Response): void {
    // Forwarding replaces the headers, and with them the credential.
    const asked: PlatformRequest = Object.create(request, { headers: { value: request.headers } });
    const connection = request.switching?.socket ?? response;
    if (connection.destroyed) return;
    const timer = setInterval(() => {
      Promise.resolve(this.authentication.again(asked)).catch(error => {
        if (error instanceof PlatformError && (error.status === 401 || error.status === 403)) {
          this.logger.log('ended a forwarded connection, because its credential is no longer valid');
          connection.destroy();
        }
      });
    }, CHECK_EVERY_MS).unref();
    connection.once('close', () => clearInterval(timer));
  }

  /** The headers of the gateway come last, so that they replace what a client sends under the same names. */
  private async headersFor(request: PlatformRequest, target: ForwardTarget): Promise<IncomingHttpHeaders> {
    const { headers, switching, correlationId, ip, protocol, host } = request;
    const { principal } = callOf(request);
    const { origin, kind } = target;
    return withoutUndefined({
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

  /** Ties the two connections of a WebSocket together; answers with an error when the upstream refuses the upgrade. */
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
      // The proxy removes the timeout in this tick, so it is set in the next one.
      process.nextTick(() => {
        upstream.setTimeout(this.settings.GATEWAY_IDLE_TIMEOUT_MS, () => upstream.destroy());
      });
    });
  }

  /** The timeout also covers connecting, which Node leaves to the operating system. */
  private limit(asked: ClientRequest): void {
    const ms = this.settings.GATEWAY_TIMEOUT_MS;
    asked.setTimeout(ms, () => asked.destroy(new UpstreamStalled()));
    if (asked.socket === null) asked.once('socket', socket => socket.setTimeout(ms));
    else asked.socket.setTimeout(ms);
  }

  private failed(failure: Error, upstream: string): PlatformError {
    const reason = failure instanceof UpstreamStalled ? 'it sent nothing for too long' : failure.message;
    this.logger.warn(`${upstream} does not answer: ${reason}`);
    return upstreamFailure(failure);
  }
}

/**
 * Sends the head of a stream before its first event, because the client waits for the status. A status below 200
 * becomes 502: Node parses any number as a status, but cannot send each of them.
 */
function sendOn(answer: IncomingMessage, response: ServerResponse): void {
  const { statusCode = 0, headers } = answer;
  response.writeHead(statusCode >= 200 ? statusCode : 502, returnedHeaders(headers));
  if (headers['content-length'] === undefined) response.flushHeaders();
  answer.pipe(response);
}

/** Discards the rest of the request body and closes the connection after the response. */
function discardBody(request: PlatformRequest, response: Response): void {
  if (request.complete) return;
  request.unpipe();
  request.resume();
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
