import { Logger } from '@nestjs/common';
import type { ClientConfig } from 'pg';
import { BackendMonitor, type Backends, type Waiting } from './backend-monitor.js';

/**
 * Time is counted in ticks instead of read from a clock. After a stall of the event loop only one tick fires, and bytes
 * that arrived during the stall are read before the next tick.
 */
const TICK_MS = 500;
/**
 * After 2 s without a byte, and every 2 s from then on, the server is asked whether it still works on the statement.
 */
const SILENT_TICKS = 4;
/** Consecutive looks that must find the backend idle, because a single look may fall between two statements. */
const LOOKS = 2;
/** A look that has not connected after this time means that the server cannot be reached. */
const LOOK_TICKS = 3;
/**
 * A look that connected but got no response after this time: the server or a pooler is busy, or the network failed
 * since.
 */
const BUSY_LOOK_TICKS = 10;

/** The network no longer passes packets of the connection but has not closed it. */
class SilentLink extends Error {
  readonly code = 'ETIMEDOUT';

  constructor() {
    super('the connection to the database stopped responding');
  }
}

/** What `LinkWatch` needs to know about a connection. */
export interface Watched extends Waiting {
  /** Identifies the server: connections to the same server are checked together. */
  readonly address: string;
  /** Options for another connection to the same server. */
  readonly monitorConfig: ClientConfig;
  /** True while a statement waits for its response. */
  readonly isWaiting: boolean;
  /** True for an idle connection of a pool, which the pool replaces when it ends. */
  readonly isSpare: boolean;
  readonly bytesRead: number;
  /** Fails all running statements and closes the socket. */
  abandon(reason: Error): void;
}

interface Look {
  readonly monitor: BackendMonitor;
  ticks: number;
}

/** A connection, the bytes it had received at the last tick, and the number of ticks without further bytes. */
interface Link {
  readonly connection: Watched;
  bytes: number;
  quietTicks: number;
  /** Ticks without bytes while a statement waited. */
  silentTicks: number;
  idleLooks: number;
}

/**
 * Finds connections that no longer pass packets: a firewall or a load balancer that drops packets closes nothing, and
 * the operating system gives up only after a quarter of an hour. Waiting time alone does not distinguish a dead
 * connection from a slow statement, so the server is asked over another connection what its backends do. Costs nothing
 * per statement: a timer compares the numbers of bytes received.
 */
export class LinkWatch {
  // biome-ignore lint/plugin/bounded-maps: database servers
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
  // biome-ignore lint/plugin/bounded-maps: open connections
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
        // A server that refuses the connection, for example because of too many connections, can be reached.
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
   * Handles a look without a response. If it could not connect, this process cannot reach the server, so all silent
   * connections are dead. If it connected, it may wait in a pooler or for a busy server; then statements are given up
   * only after the longest time that they may take.
   */
  private unanswered({ monitor }: Look): void {
    this.look = undefined;
    monitor.close();
    const isPastLimit = ({ connection, silentTicks }: Link) =>
      silentTicks * TICK_MS >= connection.silenceLimitMs;
    this.abandon(monitor.isConnected ? this.silent().filter(isPastLimit) : this.silent());
  }

  /**
   * Abandons dead connections and returns their process ids. `backends` is undefined when the server cannot be reached.
   */
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
    // Idle connections may be dead too, and reads that fail here are repeated on one of them.
    const longest = Math.max(...dead.map(({ silentTicks }) => silentTicks));
    const spare = [...this.links.values()].filter(
      ({ connection, quietTicks }) => connection.isSpare && quietTicks >= longest,
    );
    this.logger.warn(
      `${dead.length} connections to the database stopped responding and are replaced, together with ${spare.length} idle ones`,
    );
    for (const { connection } of [...dead, ...spare]) connection.abandon(new SilentLink());
  }
}

/** Any response adds bytes, so a waiting connection without new bytes has been silent for one more tick. */
function observe(link: Link): void {
  const { bytesRead, isWaiting } = link.connection;
  link.quietTicks = bytesRead === link.bytes ? link.quietTicks + 1 : 0;
  link.silentTicks = isWaiting && link.quietTicks > 0 ? link.silentTicks + 1 : 0;
  if (link.silentTicks === 0) link.idleLooks = 0;
  link.bytes = bytesRead;
}
