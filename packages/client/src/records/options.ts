/** Ends the call: it throws the reason of the signal. A write may have happened nevertheless. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface ReadOptions extends CallOptions {
  /**
   * Reads the records as they were at this instant (`2027-01-31T12:00:00Z`), which must lie within the `history_days` of
   * the collection.
   */
  readonly asOf?: string | undefined;
  /**
   * Reads what this principal would get: `user:<id>`, `agent:<id>`, `key:<id>` or `anonymous`. Needs the right to share the
   * collection, and is in its audit log.
   */
  readonly viewAs?: string | undefined;
}

export interface ExplainOptions extends CallOptions {
  /** Whose access: `user:<id>`, `agent:<id>`, `key:<id>` or `anonymous`, which needs the right to share. Default: the caller's. */
  readonly of?: string | undefined;
}

export interface GetOptions extends ReadOptions {
  /** The tag of a record that is known: without a change there is no result. */
  readonly ifNoneMatch?: string | undefined;
  /** The record carries `_created_by` and `_updated_by`. */
  readonly withAuthors?: boolean | undefined;
}

export interface WriteOptions extends CallOptions {
  /**
   * The service does a write once for each key, for 24 hours. By default each call makes a key of its own; give one to
   * repeat a call in another process.
   */
  readonly idempotencyKey?: string | undefined;
  /**
   * The id of the request in the logs and audit events of the service: up to 64 letters, digits, `.`, `_` and `-`.
   * `undo` finds the write by it. By default the service makes one.
   */
  readonly correlationId?: string | undefined;
}

export interface GuardedOptions extends CallOptions {
  /** The `_etag` of the record that was read: the write fails with `PreconditionFailedError` if it has changed. */
  readonly ifMatch?: string | undefined;
}

export interface DryRunOptions {
  /** Returns what would happen, and writes nothing. */
  readonly dryRun?: boolean | undefined;
}

/** Writes by filter. */
export interface ManyOptions extends WriteOptions, DryRunOptions {
  /** Writes nothing and fails if more records match. */
  readonly maxAffected?: number | undefined;
  /** Allows an empty filter, which matches all records. */
  readonly allowMatchAll?: boolean | undefined;
}

/** The writes to undo: those of audit events, of a request, or of a caller since an instant. */
export type UndoSelection =
  | { readonly eventIds: readonly string[] }
  | { readonly correlationId: string }
  | {
      readonly actor: { readonly type: string; readonly id: string };
      readonly since: string;
      readonly until?: string | undefined;
    };

export interface UndoOptions extends WriteOptions, DryRunOptions {
  /**
   * What happens when records were written since. `stop`, the default, throws `UndoConflictError`; `skip` leaves these
   * records as they are; `force` discards the later writes.
   */
  readonly onConflict?: 'stop' | 'skip' | 'force' | undefined;
}

/** The options that are parameters of the API, under their names there. */
export function wireOf(options: object): Record<string, unknown> {
  const { signal: _signal, idempotencyKey: _key, correlationId: _id, ...rest } = options as WriteOptions;
  return snakeCase(rest);
}

/** The same fields under their names of the API: `maxAffected` is `max_affected`. */
export function snakeCase(fields: object): Record<string, unknown> {
  const named: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    named[name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)] = value;
  }
  return named;
}

/** The principal as the API names it. */
export function principalOf({ of }: ExplainOptions): { principal_type?: string; principal_id?: string } {
  if (of === undefined) return {};
  const [type = '', ...id] = of.split(':');
  return { principal_type: type, ...(id.length > 0 && { principal_id: id.join(':') }) };
}

/** What the transport needs of the options of a write. */
export function writeOf({ signal, idempotencyKey, correlationId }: WriteOptions): {
  signal: AbortSignal | undefined;
  idempotencyKey: string | true;
  correlationId: string | undefined;
} {
  return { signal, idempotencyKey: idempotencyKey ?? true, correlationId };
}
