import { describe, expect, it } from 'vitest';
import { freshDatabaseUrl, testDatabaseUrl } from './database.js';

describe('a test database', () => {
  it('is the same for every file of a worker, and a fresh one is another', async () => {
    const shared = await testDatabaseUrl();
    expect(await testDatabaseUrl()).toBe(shared);
    expect(await freshDatabaseUrl()).not.toBe(shared);
  });
});
