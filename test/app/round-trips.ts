import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { WebhookDispatch } from '../../src/changes/webhooks/webhook-dispatch.service.js';
import { WebhookSender } from '../../src/changes/webhooks/webhook-sender.service.js';
import type { TestApp } from './app.js';

/** How often an app takes a connection to the database while something is done. Its webhooks rest from then on. */
export async function roundTrips({ nest }: TestApp, work: () => Promise<unknown>): Promise<number> {
  // They ask the database every second, whatever else is done.
  for (const loop of [WebhookDispatch, WebhookSender]) {
    await nest.get(loop, { strict: false }).beforeApplicationShutdown();
  }
  const pool = (nest.get(DataSource).driver as unknown as { master: Pool }).master;
  let taken = 0;
  const acquired = () => void taken++;
  pool.on('acquire', acquired);
  try {
    await work();
  } finally {
    pool.off('acquire', acquired);
  }
  return taken;
}
