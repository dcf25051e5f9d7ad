import { Collection } from './records/collection.js';
import { HttpTransport } from './transport/http-transport.js';
import type { Transport, TransportOptions } from './transport/transport.js';
import type { AnySchema, SchemaOf } from './types/index.js';

/** How a client reaches the service, and the ids of its collections if they are known. */
export interface ClientOptions extends TransportOptions {
  /** The ids of collections by name, as `tcol types` writes them. A collection without one is requested by name. */
  readonly ids?: Readonly<Record<string, string>> | undefined;
}

/** A client of one service. It holds no connection and need not be closed. */
export class Client<S extends SchemaOf<S> = AnySchema> {
  /** Sends requests for operations that have no method of their own. */
  readonly transport: Transport;
  private readonly ids: Readonly<Record<string, string>>;

  constructor({ ids = {}, ...options }: ClientOptions = {}) {
    this.transport = new HttpTransport(options);
    this.ids = ids;
  }

  /** A collection by its name, or by its id. Sends no request. */
  collection<N extends keyof S & string>(name: N): Collection<S[N]> {
    return new Collection(this.transport, Object.hasOwn(this.ids, name) ? (this.ids[name] as string) : name);
  }
}

/**
 * A client for the service at `url`, with a `key`, a `token`, or neither: then the cookie of the browser. Throws a
 * `TypeError` if the options are wrong; sends no request.
 */
export function createClient<S extends SchemaOf<S> = AnySchema>(options: ClientOptions = {}): Client<S> {
  return new Client<S>(options);
}
