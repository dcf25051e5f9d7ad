import type { Server } from 'node:http';

/** How often connections are looked through for those whose last request has been answered. */
const LOOK_EVERY_MS = 50;

/**
 * Stops listening and resolves when every running request has been answered, at the latest after `graceSeconds`:
 * then the rest is cut off. A connection that is kept alive without a request is closed at once.
 */
export async function drain(server: Server, graceSeconds: number): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()));
  const look = setInterval(() => server.closeIdleConnections(), LOOK_EVERY_MS);
  const cut = setTimeout(() => {
    server.closeAllConnections();
    // WebSockets no longer belong to the server.
    server.emit('cut');
  }, graceSeconds * 1000);
  await closed;
  clearInterval(look);
  clearTimeout(cut);
}
