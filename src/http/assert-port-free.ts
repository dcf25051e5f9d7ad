import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Settings } from '../config/settings.js';

/** Throws, naming the setting, when the service will not be able to listen. */
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
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return `HOST ${host} is no address of this machine.`;
  return `HOST ${host} and PORT ${port} cannot be listened on: ${message}`;
}
