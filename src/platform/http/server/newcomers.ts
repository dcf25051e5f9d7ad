import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { shareTurns } from '../../../base/kernel/bounds/own-turn.js';

/** While turns follow each other that accept a connection, one begins in every so many. */
const ACCEPTED_FOR_EACH_BEGIN = 16;
/** Of the turn before. Several times what reading and refusing a request takes, so that the requests make no turn longer. */
const MS_FOR_EACH_BEGIN = 4;

/**
 * Accepts connections before it reads from them. Node accepts one connection in each turn of its event loop, in the order
 * in which they were opened. While a client opens thousands and requests are served in the same turns, connections of
 * other clients would wait for seconds to be accepted, and then behind the requests of all earlier ones.
 *
 * So connections begin in turns that accept none: one in a short turn, which is no delay that a client could notice, and
 * one for each 4 ms of a longer turn. The newest and the oldest begin alternately: a client that connects while
 * thousands wait is served soon, and those that wait are served all the same. Long pieces of work leave half of the time
 * to them.
 *
 * Call it once, before the server listens.
 */
export function acceptFirst(server: Server): void {
  const begins = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  const newcomers = new Newcomers(socket => {
    for (const begin of begins) begin.call(server, socket);
    socket.resume();
  });
  // An option of `net.createServer`, which `http.createServer` does not pass on.
  Object.assign(server, { pauseOnConnect: true });
  server.on('connection', socket => newcomers.add(socket));
}

/** Connections that are accepted and not read. */
class Newcomers {
  private readonly waiting: Socket[] = [];
  /** Since one began. */
  private accepted = 0;
  private wasAccepted = false;
  private takesNewest = false;
  /** When the last turn ended. */
  private endedAt = 0;

  constructor(private readonly begin: (socket: Socket) => void) {}

  add(socket: Socket): void {
    this.wasAccepted = true;
    this.accepted += 1;
    if (this.waiting.push(socket) > 1) return;
    this.endedAt = performance.now();
    shareTurns(true);
    setImmediate(this.afterTurn);
  }

  /** Runs at the end of each turn while connections wait. */
  private readonly afterTurn = () => {
    const now = performance.now();
    if (!this.wasAccepted || this.accepted >= ACCEPTED_FOR_EACH_BEGIN) this.beginSome(now - this.endedAt);
    this.wasAccepted = false;
    this.endedAt = now;
    if (this.waiting.length > 0) setImmediate(this.afterTurn);
    else shareTurns(false);
  };

  private beginSome(turnMs: number): void {
    this.accepted = 0;
    for (let left = Math.max(1, turnMs); left > 0; left -= MS_FOR_EACH_BEGIN) {
      const socket = this.takesNewest ? this.waiting.pop() : this.waiting.shift();
      this.takesNewest = !this.takesNewest;
      if (socket === undefined) return;
      this.begin(socket);
    }
  }
}
