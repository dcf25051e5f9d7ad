import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Settings } from '../../config/settings.js';
import { LOOK_FOR_IDLE } from './connections.js';

/** Throws with the name of the setting when the service cannot listen on its port. */
export async function assertPortFree({ HOST, PORT }: Pick<Settings, 'HOST' | 'PORT'>): Promise<void> {
  const probe = createServer().listen({ port: PORT, host: HOST, exclusive: true });
  try {
    await once(probe, 'listening');
  } catch (error) {
    throw new Error(reason(error as NodeJS.ErrnoException, HOST, PORT));
  }
  probe.close();
  await once(probe, 'close');
}

function reason({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === 'EADDRINUSE') return `PORT ${port} is taken by another program. Set PORT to another, or to 0.`;
  if (code === 'EACCES') return `PORT ${port} may not be opened by this user. Set PORT to one above 1023.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `HOST ${host} is not an address of this machine.`;
  return `HOST ${host} and PORT ${port} cannot be listened on: ${message}`;
}

/** The state that `/health/ready` reports: 503 when this instance is shutting down. Connections then end. */
@Injectable()
export class Readiness {
  isLeaving = false;
  /** Stops the process, with the reason for its log. Set by the start. */
  cannotGoOn: (reason: string) => void = () => undefined;
}

/** Time for busy connections to get an answer that is their last one, so that no request meets a closed connection. */
const LAST_ANSWERS_MS = 200;

/**
 * Reports that this instance is shutting down and serves for another `delaySeconds`, because load balancers check only
 * now and then. Each answer from now on ends its connection, so clients go to another instance.
 */
export async function leave(readiness: Readiness, delaySeconds: number): Promise<void> {
  readiness.isLeaving = true;
  await pause(Math.max(delaySeconds * 1000, LAST_ANSWERS_MS));
}

/** Interval between checks for idle connections. */
const CHECK_EVERY_MS = 50;

/**
 * Stops listening and resolves when every running request has been answered. After `graceSeconds` the remaining
 * connections are closed. Connections without a request are closed at once.
 */
export async function drain(server: Server, graceSeconds: number): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()));
  const check = setInterval(() => {
    server.closeIdleConnections();
    server.emit(LOOK_FOR_IDLE);
  }, CHECK_EVERY_MS);
  const cut = setTimeout(() => {
    server.closeAllConnections();
    // Closes connections with `Upgrade`, which the server does not track.
    server.emit('cut');
  }, graceSeconds * 1000);
  await closed;
  clearInterval(check);
  clearTimeout(cut);
}
