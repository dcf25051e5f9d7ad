import { errorFrom } from '../errors/from-response.js';
import { NetworkError, TcError } from '../errors/tc-error.js';
import { VERSION } from '../version.js';
import { limited, TIMEOUT_MS } from './attempt.js';
import { queryText } from './query-text.js';
import { DEFAULT_RETRY, retrying } from './retries.js';
import type { ApiRequest, ApiResponse, RetryPolicy, Transport, TransportOptions } from './transport.js';

/** The transport over `fetch`. */
export class HttpTransport implements Transport {
  private readonly url: string;
  private readonly policy: RetryPolicy;
  private isVersionKnown = false;

  constructor(private readonly options: TransportOptions) {
    this.url = (options.url ?? '').replace(/\/+$/, '');
    this.policy = { ...DEFAULT_RETRY, ...options.retry };
    // Fails here and not at the first request. Only pages have an origin that requests without an address go to.
    if (this.url !== '') new URL(this.url);
    else if (!/^http/.test(globalThis.location?.origin ?? '')) {
      throw new TypeError('createClient: expects the url of the service, for example http://localhost:3000');
    }
    if (options.key !== undefined && options.token !== undefined) {
      throw new TypeError('createClient: expects a key or a token, not both');
    }
  }

  async request<T>(request: ApiRequest): Promise<T> {
    return (await this.send<T>(request)).data;
  }

  send<T>(request: ApiRequest): Promise<ApiResponse<T>> {
    const read = async (keyed: ApiRequest, attempt: number) => {
      const response = await this.open(keyed, attempt);
      const { status, headers } = response;
      return { status, headers, data: (await bodyOf(keyed, response)) as T };
    };
    if (request.method !== 'DELETE') return this.repeating(request, read);
    const data = (request.gone ?? { deleted: true }) as T;
    return this.repeating(request, read, () => ({ status: 200, headers: new Headers(), data }));
  }

  stream(request: ApiRequest): Promise<Response> {
    return this.repeating(request, (keyed, attempt) => this.open(keyed, attempt));
  }

  private repeating<T>(
    request: ApiRequest,
    work: (request: ApiRequest, attempt: number) => Promise<T>,
    gone?: () => T,
  ): Promise<T> {
    // One key for all attempts of this call.
    const keyed = request.idempotencyKey === true ? { ...request, idempotencyKey: newKey() } : request;
    const timeoutMs = request.timeoutMs ?? this.options.timeoutMs ?? TIMEOUT_MS;
    const attempt = (number: number, limitMs: number) =>
      limited(keyed, limitMs, within => work(within, number));
    return retrying(keyed, this.policy, this.options.onRetry, timeoutMs, attempt, gone);
  }

  /** One attempt. A refused token is replaced once by another one. */
  private async open(request: ApiRequest, attempt: number): Promise<Response> {
    const { token } = this.options;
    let sent = typeof token === 'function' ? await token({ refused: false }) : token;
    let response = await this.fetch(request, attempt, sent);
    if (response.status === 401 && typeof token === 'function' && !(request.raw instanceof ReadableStream)) {
      const other = await token({ refused: true });
      if (other !== sent) {
        await response.body?.cancel();
        sent = other;
        response = await this.fetch(request, attempt, sent);
      }
    }
    this.compareVersions(response.headers.get('x-service-version'));
    if (!response.ok && response.status !== 304) throw await errorFrom(response);
    return response;
  }

  /** Tells once when the service is older than this client. */
  private compareVersions(service: string | null): void {
    if (service === null || this.isVersionKnown) return;
    this.isVersionKnown = true;
    if (isOlder(service, VERSION)) (this.options.onOlderService ?? warn)(service);
  }

  private async fetch(request: ApiRequest, attempt: number, token: string | undefined): Promise<Response> {
    const { method, path, signal } = request;
    const { key, fetch: own, onRequest } = this.options;
    const url = `${this.url}${path}${queryText(request.query)}`;
    const headers = this.headersOf(request, token);
    const body = payloadOf(request);
    onRequest?.({ method, url, attempt, headers });
    const init: RequestInit & { duplex?: 'half' } = {
      method,
      headers,
      // A redirect could lead a key to another host.
      redirect: 'manual',
      credentials: key === undefined && token === undefined ? 'include' : 'omit',
    };
    if (body !== undefined) init.body = body;
    if (body instanceof ReadableStream) init.duplex = 'half';
    if (signal !== undefined) init.signal = signal;
    try {
      return await (own === undefined ? fetch(url, init) : own(url, init));
    } catch (cause) {
      throw lost(request, cause);
    }
  }

  private headersOf(request: ApiRequest, token: string | undefined): Record<string, string> {
    const { key, headers: always } = this.options;
    const headers: Record<string, string> = {
      accept: 'application/json',
      'x-client-version': VERSION,
      ...always,
    };
    if (key !== undefined) headers['x-platform-api-key'] = key;
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    if (request.body !== undefined) headers['content-type'] = 'application/json';
    if (request.ifMatch !== undefined) headers['if-match'] = request.ifMatch;
    if (typeof request.idempotencyKey === 'string') headers['idempotency-key'] = request.idempotencyKey;
    if (request.correlationId !== undefined) headers['x-correlation-id'] = request.correlationId;
    return request.headers === undefined ? headers : Object.assign(headers, request.headers);
  }
}

function warn(version: string): void {
  // biome-ignore lint/suspicious/noConsole: the only place where a developer without a hook would see it
  console.warn(
    `@typed-collections/client ${VERSION} is newer than the service (${version}), which may lack operations and options.`,
  );
}

/** Compares versions such as `1.10.0` number by number; false when one of them has another form. */
export function isOlder(version: string, than: string): boolean {
  const [own, other] = [numbersOf(version), numbersOf(than)];
  const at = own.findIndex((number, n) => number !== other[n]);
  return at >= 0 && (own[at] as number) < (other[at] as number);
}

function numbersOf(version: string): number[] {
  return (/^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number);
}

/** The error for a failure of the connection: the signal's reason if it was aborted, else a `NetworkError`. */
export function lost({ method, path, signal }: ApiRequest, cause: unknown): unknown {
  if (signal?.aborted === true) return signal.reason;
  if (cause instanceof TcError) return cause;
  // Node puts the reason into the cause of a general error.
  const { message, cause: inner } = cause as Error & { cause?: { code?: string; message?: string } };
  return new NetworkError(`${method} ${path}: ${inner?.message || inner?.code || message}`, cause);
}

/** A new `Idempotency-Key`. `crypto.randomUUID` is missing in pages that were not loaded over https. */
export function newKey(): string {
  return (
    crypto.randomUUID?.() ??
    Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join(
      '',
    )
  );
}

function payloadOf({ raw, body }: ApiRequest): BodyInit | undefined {
  if (body !== undefined) return JSON.stringify(body);
  return typeof raw === 'function' ? raw() : raw;
}

async function bodyOf(request: ApiRequest, response: Response): Promise<unknown> {
  let text: string;
  try {
    text = await response.text();
  } catch (cause) {
    throw lost(request, cause);
  }
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { status } = response;
    const message = `${request.method} ${request.path}: the response is not JSON`;
    throw new TcError(message, { code: 'InvalidResponse', status, cause });
  }
}
