import { lookup as resolve } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Agent, fetch as UndiciFetch, RequestInit as UndiciInit } from 'undici';
import { guardedConnect, InsecureHosts, isPublicAddress, OutboundError } from './guarded-connect.js';

/** Limits of one call. The defaults are those of the contract: 5 s and 256 KiB. */
export interface OutboundLimits {
  /** Time from the first DNS look-up to the last byte of the body. */
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 256 * 1024;
/** Status codes of responses without a body (Fetch standard, "null body status"). */
const NO_BODY = new Set([101, 103, 204, 205, 304]);

/**
 * Sends all requests to addresses that users or other systems have chosen: only https to public addresses, without
 * following redirects, without a proxy of the environment, limited in time and size. `fetch` reads the whole body before it
 * returns, so that the limits cover the body too.
 */
export class OutboundFetch implements OnApplicationShutdown {
  private readonly exceptions: InsecureHosts;
  private undici: Promise<{ fetch: typeof UndiciFetch; agent: Agent }> | undefined;

  constructor(
    insecureHosts: readonly string[],
    private readonly lookup: LookupFunction = resolve as LookupFunction,
  ) {
    this.exceptions = new InsecureHosts(insecureHosts);
  }

  async onApplicationShutdown(): Promise<void> {
    await (await this.undici)?.agent.destroy();
  }

  /** Loaded by the first request, because many services never send one: 110 files, and about 20 MB of memory. */
  private loaded() {
    this.undici ??= import('undici').then(({ Agent, buildConnector, fetch }) => {
      const connect = guardedConnect(buildConnector, this.exceptions, this.lookup);
      return { fetch, agent: new Agent({ connect }) };
    });
    return this.undici;
  }

  /** Why the address is refused before anything is sent, as text for the user who entered it; undefined if it is allowed. */
  objection(address: string | URL): string | undefined {
    if (!URL.canParse(String(address))) return 'expects an absolute URL';
    const { protocol, username, password, hostname, port } = new URL(address);
    if (protocol !== 'https:' && protocol !== 'http:') return 'expects an https URL';
    if (protocol === 'http:' && !this.exceptions.include(hostname, port, protocol)) {
      return 'expects an https URL';
    }
    if (username !== '' || password !== '') return 'must not contain credentials';
    return this.isInside(hostname, port, protocol) ? 'must not be a private address' : undefined;
  }

  /** True for a host that is a private IP address. Host names are checked when they are resolved. */
  private isInside(hostname: string, port: string, protocol: string): boolean {
    const address = hostname.replace(/^\[|\]$/g, '');
    return (
      isIP(address) !== 0 && !isPublicAddress(address) && !this.exceptions.include(hostname, port, protocol)
    );
  }

  /** Like the global `fetch`, bound to this object. Returns redirects like other responses. Throws OutboundError. */
  readonly fetch = async (
    address: string | URL,
    init: RequestInit = {},
    { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES }: OutboundLimits = {},
  ): Promise<Response> => {
    const objection = this.objection(address);
    if (objection !== undefined) throw new OutboundError('refused', `the address ${objection}`);
    const { fetch, agent } = await this.loaded();
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    try {
      const answer = await fetch(address, {
        ...(init as UndiciInit),
        signal,
        redirect: 'manual',
        dispatcher: agent,
      });
      const body = await readLimited(answer.body, maxBytes);
      const { status, statusText } = answer;
      return new Response(NO_BODY.has(status) ? null : body, {
        status,
        statusText,
        headers: [...answer.headers],
      });
    } catch (error) {
      if (init.signal?.aborted) throw init.signal.reason;
      throw timeout.aborted
        ? new OutboundError(
            'timeout',
            `${new URL(address).host} did not answer completely within ${timeoutMs} ms`,
          )
        : outboundError(error, new URL(address).host);
    }
  };
}

/** undici wraps the errors of the guard. All other errors are network errors. */
function outboundError(error: unknown, host: string): OutboundError {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof OutboundError) return each;
  }
  return new OutboundError('unreachable', `no answer from ${host}`, { cause: error });
}

/** Reads the whole body, decompressed. Throws OutboundError and closes the connection when it is longer than `maxBytes`. */
async function readLimited(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxBytes)
      throw new OutboundError('too-large', `the answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
