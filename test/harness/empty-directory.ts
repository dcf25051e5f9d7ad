import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** Creates an empty directory, which is removed at the end of the run. */
export function emptyDirectory(): string {
  return mkdtempSync(join(inject('testServer').scratch, 'd-'));
}
