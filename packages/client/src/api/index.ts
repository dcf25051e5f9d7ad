import type { CallOptions, GuardedOptions, WriteOptions } from '../records/options.js';
import { pathPart } from '../transport/path-part.js';
import type { Transport } from '../transport/transport.js';
import type { Operations } from './operations.js';
import { TABLE } from './table.js';

export type { Operations, Schemas } from './operations.js';

/** `idempotencyKey` only where the service does a write once for each key, `ifMatch` only where it compares entity tags. */
type OptionsOf<O> = CallOptions &
  (O extends { once: true } ? WriteOptions : unknown) &
  (O extends { guarded: true } ? GuardedOptions : unknown);

/** The result of an operation; nothing for one that answers without a body. */
type OutputOf<O> = O extends { output: infer R } ? (R extends null ? undefined : R) : never;

/** The input may be left out if none of its fields is required. */
type Call<O> = O extends { input: infer I }
  ? Record<never, never> extends I
    ? (input?: Readonly<I>, options?: OptionsOf<O>) => Promise<OutputOf<O>>
    : (input: Readonly<I>, options?: OptionsOf<O>) => Promise<OutputOf<O>>
  : (input?: Readonly<Record<string, never>>, options?: OptionsOf<O>) => Promise<OutputOf<O>>;

/**
 * The operations by their tag and their `operationId`. The input of each is one object: the parameters of the path and
 * of the query, and the fields of the body.
 */
export type Api = {
  readonly [Tag in keyof Operations]: {
    readonly [Name in keyof Operations[Tag]]: Call<Operations[Tag][Name]>;
  };
};

/**
 * The operations besides those on records: collections, sharing, keys, webhooks, organizations, workspaces. `client` is
 * what `createClient` returns. A call resolves to the body of the response. It throws a `TcError`, the reason of its
 * signal, or a `TypeError` if a parameter of the path is missing.
 */
export function createApi(client: { readonly transport: Pick<Transport, 'request'> }): Api {
  return mapped(TABLE, rows =>
    mapped(
      rows as Readonly<Record<string, string>>,
      row => (input?: object, options?: CallOptions) => call(client.transport, row, { ...input }, options),
    ),
  ) as unknown as Api;
}

function mapped<T, R>(object: Readonly<Record<string, T>>, change: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

async function call(
  transport: Pick<Transport, 'request'>,
  row: string,
  input: Record<string, unknown>,
  { signal, idempotencyKey, correlationId, ifMatch }: WriteOptions & GuardedOptions = {},
): Promise<unknown> {
  const [method, template, ...marks] = row.split(' ') as [string, string, ...string[]];
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = input[name];
    delete input[name];
    return pathPart(name, value);
  });
  const hasQuery = method === 'GET' || method === 'DELETE';
  return transport.request({
    method,
    path,
    query: hasQuery ? (input as Record<string, string>) : undefined,
    body: hasQuery || marks.includes('bare') ? undefined : input,
    signal,
    ifMatch,
    correlationId,
    idempotencyKey: marks.includes('once') ? (idempotencyKey ?? true) : undefined,
  });
}
