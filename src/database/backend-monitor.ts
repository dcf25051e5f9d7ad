import pg, { type ClientConfig } from 'pg';

/**
 * Every backend of this role in this database: whether it works, and since when. One that waits for its client does not
 * work: it has not got the whole statement, or cannot get rid of the answer. What may not be seen counts as working.
 */
const BACKENDS = `
  SELECT pid, pid = pg_backend_pid(),
    coalesce(state NOT LIKE 'idle%' AND wait_event_type IS DISTINCT FROM 'Client', true),
    coalesce(extract(epoch FROM clock_timestamp() - query_start) * 1000, 0)::float8
  FROM pg_stat_activity WHERE usename = current_user AND datname = current_database()`;

/** A connection on which a statement waits for its answer. */
export interface Waiting {
  /** Process id of its backend, as the server or a pooler has told it. */
  readonly backendPid: number | null;
  /** Behind a pooler, where the server cannot be asked: a statement that waits longer is given up. */
  readonly silenceLimitMs: number;
}

type Row = [pid: number, isOwn: boolean, works: boolean, milliseconds: number];

/** What the backends of a server were seen to do. */
export class Backends {
  constructor(
    private readonly rows: readonly Row[],
    /** A pooler gives out process ids of its own. */
    readonly isPooled: boolean,
  ) {}

  /**
   * True when the server may be working on what the connection has waited for during `silentMs`. Behind a pooler any statement
   * may be the one, if it is as old, and waiting for a connection to the server cannot be seen.
   */
  mayWorkFor({ backendPid, silenceLimitMs }: Waiting, silentMs: number): boolean {
    if (!this.isPooled) return this.rows.some(([pid, , works]) => works && pid === backendPid);
    if (silentMs < silenceLimitMs) return true;
    return this.rows.some(([, isOwn, works, milliseconds]) => works && !isOwn && milliseconds >= silentMs);
  }
}

/** One look at the backends of a server, over a connection of its own. */
export class BackendMonitor {
  /** True once the server, or a pooler before it, has let the look in: it can be reached. */
  isConnected = false;
  private readonly client: pg.Client;

  constructor(config: ClientConfig) {
    this.client = new pg.Client(config);
    this.client.on('error', () => undefined);
  }

  /** Rejects when the server cannot be reached, or with its refusal. */
  async look(): Promise<Backends> {
    await this.client.connect();
    this.isConnected = true;
    const { rows } = await this.client.query<Row>({ text: BACKENDS, rowMode: 'array' });
    const { processID } = this.client as unknown as { processID: number };
    return new Backends(rows, !rows.some(([pid, isOwn]) => isOwn && pid === processID));
  }

  /** Ends backends that do not know that their client is gone, with their transactions and locks. */
  async terminate(pids: readonly (number | null)[]): Promise<void> {
    await this.client.query('SELECT pg_terminate_backend(pid) FROM unnest($1::integer[]) AS pid', [pids]);
  }

  close(): void {
    void this.client.end().catch(() => undefined);
  }
}
