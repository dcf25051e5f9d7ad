/** A value of the query string. Objects are sent as JSON text; undefined is left out. */
export type QueryValue = string | number | boolean | object | undefined;

/** One operation of the API. */
export interface ApiRequest {
  readonly method: string;
  /** From the root of the service: `/v1/collections`. Its parts are already percent-encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, QueryValue>> | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /**
   * Sent as it is, with the `content-type` in `headers`. A stream is sent only once; a function makes another body for
   * each attempt.
   */
  readonly raw?: BodyInit | (() => BodyInit) | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * For a `POST` or `PATCH` that the service does once for each key: such a write may be repeated. With `true` the client
   * makes a key for this call.
   */
  readonly idempotencyKey?: string | boolean | undefined;
  /** Sent as `x-correlation-id` with every attempt. */
  readonly correlationId?: string | undefined;
  /** The write is done only if the resource still has this entity tag; else 412 `PreconditionFailed`. */
  readonly ifMatch?: string | undefined;
  /** A `POST` that changes nothing and may be repeated, for example a query. */
  readonly readOnly?: boolean | undefined;
  /**
   * The longest time of an attempt, in milliseconds, in place of that of the client. `Infinity` for transfers of any
   * length: then neither an attempt nor the call has a limit.
   */
  readonly timeoutMs?: number | undefined;
  /** The answer of a repeated `DELETE` that finds nothing, because an attempt before it succeeded. */
  readonly gone?: unknown;
}

/** A response with its parsed JSON body; `data` is undefined for an empty body. */
export interface ApiResponse<T> {
  readonly data: T;
  readonly status: number;
  readonly headers: Headers;
}

/** Sends requests with credentials, and repeats those that failed and may be repeated. */
export interface Transport {
  /** Resolves to the body. Throws a `TcError`, or the reason of the signal. */
  request<T>(request: ApiRequest): Promise<T>;
  /** Like `request`, with status and headers. */
  send<T>(request: ApiRequest): Promise<ApiResponse<T>>;
  /** Resolves when the response begins. Its body is not read yet; the caller reads or cancels it. */
  stream(request: ApiRequest): Promise<Response>;
}

/** What `onRequest` sees. Headers may be added, for example `traceparent`. */
export interface RequestInfo {
  readonly method: string;
  readonly url: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly headers: Record<string, string>;
}

/** What `onRetry` sees: the attempt that failed, why, and the wait before the next one. */
export interface RetryInfo {
  readonly method: string;
  readonly path: string;
  readonly attempt: number;
  readonly delayMs: number;
  readonly error: Error;
}

/** When failed requests are repeated. */
export interface RetryPolicy {
  /** Attempts in all; 1 repeats nothing. */
  readonly attempts: number;
  /** The longest wait after the first attempt; it doubles with each further one. The wait is random below it. */
  readonly baseMs: number;
  /** The longest wait. If `Retry-After` asks for more, the error is thrown at once, with `retryAfterMs`. */
  readonly maxDelayMs: number;
  /** The longest time of a call with its repetitions and waits. No attempt begins or goes on after it. */
  readonly totalMs: number;
}

/** A token, or how to get it: called for each attempt; with `refused: true` after a 401, to get another token. */
export type TokenSource = string | ((context: { readonly refused: boolean }) => string | Promise<string>);

export interface TransportOptions {
  /** The address of the service. Required outside of browsers; there the default is the origin of the page. */
  readonly url?: string | undefined;
  /** A key of an organization or of a collection. */
  readonly key?: string | undefined;
  /** An access token. Without key and token, a browser sends its cookie. */
  readonly token?: TokenSource | undefined;
  /** Further headers of each request, for example `x-platform-agent-id`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fetch?: typeof fetch | undefined;
  /**
   * The longest time of one attempt until its response is complete, in milliseconds; default 60,000. A longer one throws
   * a `NetworkError`, and is repeated as after other losses of the connection. Imports have no limit; exports have one
   * until they begin.
   */
  readonly timeoutMs?: number | undefined;
  readonly retry?: Partial<RetryPolicy> | undefined;
  readonly onRequest?: ((info: RequestInfo) => void) | undefined;
  readonly onRetry?: ((info: RetryInfo) => void) | undefined;
  /**
   * Called once, with the version of the service, if the service is older than this client: it may lack operations and
   * options. Default: a warning in the console.
   */
  readonly onOlderService?: ((version: string) => void) | undefined;
}
