import { describe, expect, it } from 'vitest';
import { freshDatabaseUrl, testDatabaseUrl } from './database.js';

describe('a test database', () => {
  it('is shared by all files of a worker, while a fresh one is separate', async () => {
    const shared = await testDatabaseUrl();
    expect(await testDatabaseUrl()).toBe(shared);
    expect(await freshDatabaseUrl()).not.toBe(shared);
  });
});
