import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { type Home, newCollection, newHome, written } from '../../harness/collection.js';
import { newKey } from '../orgs/org.js';
import { type Upload, upload } from '../transfer/transfer.js';
import { newRetryKey } from './retry.js';

describe('an import that is sent again with the same key', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startOwnApp({ database: 'own' });
    const { org } = await newHome(app);
    // A key is valid at all instances, a token only at the one that issued it.
    home = { org, owner: { key: (await newKey(app, org)).apiKey } };
  });
  afterAll(() => app.close());

  /** Begins to send a successful import again, to an instance with these settings. */
  async function again(environment: Record<string, string>, work: (sending: Upload) => Promise<void>) {
    const collection = await newCollection(app, home);
    const headers = { 'idempotency-key': newRetryKey() };
    const first = upload(collection, app, {}, headers);
    await first.send('name\r\nAda\r\n');
    expect((await first.end()).status).toBe(200);
    const before = await written(app, collection);
    const instance = await startOwnApp({
      database: { url: app.settings.DATABASE_URL as string },
      environment,
    });
    try {
      await work(upload(collection, instance, {}, headers));
    } finally {
      await instance.close();
    }
    expect(await written(app, collection)).toEqual(before);
  }

  it('ends if its client is slower than the minimum rate', async () => {
    await again(
      { TRANSFER_RATE_WINDOW_SECONDS: '1', TRANSFER_MIN_BYTES_PER_SECOND: '1000' },
      async sending => {
        const drip = setInterval(() => void sending.send('x'), 100);
        await expect(sending.answer).rejects.toThrow();
        clearInterval(drip);
      },
    );
  });

  it('gets 503 if its file still arrives after the maximum duration', async () => {
    await again({ TRANSFER_MAX_SECONDS: '1', TRANSFER_MIN_BYTES_PER_SECOND: '0' }, async sending => {
      const drip = setInterval(() => void sending.send('x'), 50);
      expect((await sending.answer).statusCode).toBe(503);
      clearInterval(drip);
      sending.cut();
    });
  });
});
