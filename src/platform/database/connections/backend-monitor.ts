import pg, { type ClientConfig } from 'pg';
import { privateClient } from '../private-api.js';

/**
 * All backends of this role in this database: whether each works, and since when. A backend that waits for its client
 * does not work: it has not received the whole statement, or cannot send the response. A backend whose state may not be
 * read counts as working.
 *
 * Citus reports a wait for another node as a wait for the client to send. There such a backend counts as working; if
 * the client is gone, the server's keep-alive ends it.
 */
const BACKENDS = `
  SELECT pid, pid = pg_backend_pid(),
    coalesce(state NOT LIKE 'idle%' AND (wait_event_type IS DISTINCT FROM 'Client'
      OR wait_event = 'ClientRead' AND current_setting('citus.version', true) IS NOT NULL), true),
    coalesce(extract(epoch FROM clock_timestamp() - query_start) * 1000, 0)::float8
  FROM pg_stat_activity WHERE usename = current_user AND datname = current_database()`;

/** A connection on which a statement waits for its response. */
export interface Waiting {
  /** Process id of its backend according to the server or a pooler. */
  readonly backendPid: number | null;
  /** A statement behind a pooler is given up after this time, because the server cannot be asked about it. */
  readonly silenceLimitMs: number;
}

type Row = [pid: number, isOwn: boolean, works: boolean, milliseconds: number];

/** The state of the backends of a server at one time. */
export class Backends {
  constructor(
    private readonly rows: readonly Row[],
    /** True behind a pooler, which reports process ids of its own. */
    readonly isPooled: boolean,
  ) {}

  /**
   * True when the server may be working on the statement for which the connection has waited `silentMs`. Behind a
   * pooler, any statement of that age may be the one, and a wait for a connection of the pooler cannot be seen.
   */
  mayWorkFor({ backendPid, silenceLimitMs }: Waiting, silentMs: number): boolean {
    if (!this.isPooled) return this.rows.some(([pid, , works]) => works && pid === backendPid);
    if (silentMs < silenceLimitMs) return true;
    return this.rows.some(([, isOwn, works, milliseconds]) => works && !isOwn && milliseconds >= silentMs);
  }
}

/** Reads the state of the backends of a server once, over a connection of its own. */
export class BackendMonitor {
  /** True once the connection is open: the server, or a pooler before it, can be reached. */
  isConnected = false;
  private readonly client: pg.Client;

  constructor(config: ClientConfig) {
    this.client = new pg.Client(config);
    this.client.on('error', () => undefined);
  }

  /** Rejects when the server cannot be reached or refuses the connection. */
  async look(): Promise<Backends> {
    await this.client.connect();
    this.isConnected = true;
    const { rows } = await this.client.query<Row>({ text: BACKENDS, rowMode: 'array' });
    const { processID } = privateClient(this.client);
    return new Backends(rows, !rows.some(([pid, isOwn]) => isOwn && pid === processID));
  }

  /** Ends backends whose clients are gone, with their transactions and locks. */
  async terminate(pids: readonly (number | null)[]): Promise<void> {
    await this.client.query('SELECT pg_terminate_backend(pid) FROM unnest($1::integer[]) AS pid', [pids]);
  }

  close(): void {
    void this.client.end().catch(() => undefined);
  }
}
