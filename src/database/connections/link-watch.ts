import { Logger } from '@nestjs/common';
import pg, { type ClientConfig } from 'pg';

/**
 * Time is counted in ticks, not read from a clock: after a stalled event loop one tick fires, and bytes that have arrived
 * meanwhile are read before the next one.
 */
const TICK_MS = 500;
/** After so long without a byte, 2 s, the server is asked whether it works on the statement; then again as often. */
const SILENT_TICKS = 4;
/** Looks in a row that must find the backend not working: a single one may fall between two statements. */
const LOOKS = 2;
/** A look without an answer for so long: the server cannot be reached at all. */
const LOOK_TICKS = 3;
/** A look that was let in and gets no answer for so long: the server or a pooler is busy, or the link went silent since. */
const BUSY_LOOK_TICKS = 10;

/** The link to the server passes nothing any more; it may never have said so. */
class SilentLink extends Error {
  readonly code = 'ETIMEDOUT';

  constructor() {
    super('the connection to the database went silent');
  }
}

/** A connection as the watch sees it. */
export interface Watched extends Waiting {
  /** Names the server: connections to the same one are judged together. */
  readonly address: string;
  /** Options of another connection to the same server. */
  readonly monitorConfig: ClientConfig;
  /** A statement waits for its answer. */
  readonly isWaiting: boolean;
  /** No statement and no transaction is under way, and a pool opens another connection when this one ends. */
  readonly isSpare: boolean;
  readonly bytesRead: number;
  /** Fails all statements under way and closes the socket. */
  abandon(reason: Error): void;
}

interface Look {
  readonly monitor: BackendMonitor;
  ticks: number;
}

/** A connection, the bytes it had received at the last tick, and for how many ticks none have come. */
interface Link {
  readonly connection: Watched;
  bytes: number;
  quietTicks: number;
  /** Of these, with a statement waiting. */
  silentTicks: number;
  idleLooks: number;
}

/**
 * Finds connections whose link has gone silent: a firewall or a balancer that drops packets closes nothing, and the
 * operating system gives up after a quarter of an hour. Age alone does not tell a slow statement from a silent link, so the
 * server is asked over another connection what its backends do. Costs nothing per statement: a timer compares the number of
 * bytes received.
 */
export class LinkWatch {
  private readonly servers = new Map<string, ServerLinks>();
  private timer: NodeJS.Timeout | undefined;

  add(connection: Watched): void {
    const server = this.servers.get(connection.address) ?? new ServerLinks();
    this.servers.set(connection.address, server);
    server.add(connection);
    this.timer ??= setInterval(() => this.tick(), TICK_MS).unref();
  }

  remove(connection: Watched): void {
    const server = this.servers.get(connection.address);
    server?.remove(connection);
    if (server?.isEmpty) this.servers.delete(connection.address);
    if (this.servers.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private tick(): void {
    for (const server of this.servers.values()) server.tick();
  }
}

/** The connections of one server address. */
class ServerLinks {
  private readonly logger = new Logger(LinkWatch.name);
  private readonly links = new Map<Watched, Link>();
  private look: Look | undefined;

  get isEmpty(): boolean {
    return this.links.size === 0;
  }

  add(connection: Watched): void {
    const { bytesRead: bytes } = connection;
    this.links.set(connection, { connection, bytes, quietTicks: 0, silentTicks: 0, idleLooks: 0 });
  }

  remove(connection: Watched): void {
    this.links.delete(connection);
  }

  tick(): void {
    for (const link of this.links.values()) observe(link);
    if (this.look !== undefined) {
      this.look.ticks += 1;
      if (this.look.ticks >= (this.look.monitor.isConnected ? BUSY_LOOK_TICKS : LOOK_TICKS))
        this.unanswered(this.look);
      return;
    }
    const silent = this.silent();
    const isDue = ({ silentTicks, idleLooks }: Link) => idleLooks > 0 || silentTicks % SILENT_TICKS === 0;
    if (silent.some(isDue)) this.ask(silent[0] as Link);
  }

  private silent(): Link[] {
    return [...this.links.values()].filter(({ silentTicks }) => silentTicks >= SILENT_TICKS);
  }

  private ask({ connection }: Link): void {
    const look: Look = { monitor: new BackendMonitor(connection.monitorConfig), ticks: 0 };
    this.look = look;
    this.follow(look)
      .catch((error: Error) => {
        // A server that refuses, for example for too many connections, is there, and tells nothing of its backends.
        if (this.look === look && !('severity' in error)) this.judge(undefined);
      })
      .finally(() => {
        look.monitor.close();
        if (this.look === look) this.look = undefined;
      });
  }

  private async follow(look: Look): Promise<void> {
    const backends = await look.monitor.look();
    if (this.look !== look) return;
    const dead = this.judge(backends);
    if (dead.length > 0 && !backends.isPooled) await look.monitor.terminate(dead);
  }

  /**
   * A look that is not even let in: nothing passes between this process and the server. One that was let in may wait behind
   * the same statements as all others, in a pooler or on a busy server: then a statement has the longest time it may take.
   */
  private unanswered({ monitor }: Look): void {
    this.look = undefined;
    monitor.close();
    const isPastLimit = ({ connection, silentTicks }: Link) =>
      silentTicks * TICK_MS >= connection.silenceLimitMs;
    this.abandon(monitor.isConnected ? this.silent().filter(isPastLimit) : this.silent());
  }

  /** Abandons what is dead; returns the process ids. `backends` is undefined when the server cannot be reached. */
  private judge(backends: Backends | undefined): (number | null)[] {
    for (const link of this.silent()) {
      const works = backends?.mayWorkFor(link.connection, link.silentTicks * TICK_MS);
      link.idleLooks = works ? 0 : link.idleLooks + 1;
    }
    const dead = this.silent().filter(({ idleLooks }) => idleLooks >= LOOKS);
    this.abandon(dead);
    return dead.map(({ connection }) => connection.backendPid);
  }

  private abandon(dead: readonly Link[]): void {
    if (dead.length === 0) return;
    // Spare connections may be as dead, and what fails here is tried again on one of them.
    const longest = Math.max(...dead.map(({ silentTicks }) => silentTicks));
    const spare = [...this.links.values()].filter(
      ({ connection, quietTicks }) => connection.isSpare && quietTicks >= longest,
    );
    this.logger.warn(
      `${dead.length} connections to the database went silent and are replaced, with ${spare.length} spare ones`,
    );
    for (const { connection } of [...dead, ...spare]) connection.abandon(new SilentLink());
  }
}

/** A waiting connection that has received nothing since the last tick is more silent by a tick: any answer adds bytes. */
function observe(link: Link): void {
  const { bytesRead, isWaiting } = link.connection;
  link.quietTicks = bytesRead === link.bytes ? link.quietTicks + 1 : 0;
  link.silentTicks = isWaiting && link.quietTicks > 0 ? link.silentTicks + 1 : 0;
  if (link.silentTicks === 0) link.idleLooks = 0;
  link.bytes = bytesRead;
}

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
interface Waiting {
  /** Process id of its backend, as the server or a pooler has told it. */
  readonly backendPid: number | null;
  /** Behind a pooler, where the server cannot be asked: a statement that waits longer is given up. */
  readonly silenceLimitMs: number;
}

type Row = [pid: number, isOwn: boolean, works: boolean, milliseconds: number];

/** What the backends of a server were seen to do. */
class Backends {
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
class BackendMonitor {
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
