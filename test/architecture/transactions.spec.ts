import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** Transactions on connections outside the pool (docs/decisions/0031-one-class-opens-transactions.md). */
const OUTSIDE_THE_POOL = [
  'cli/backup/logical-backup.ts',
  'cli/backup/logical-restore.ts',
  'cli/backup/target-database.ts',
  'platform/database/connections/pooler-check.service.ts',
  'platform/database/lone-work.ts',
  'platform/database/migrating/migration-session.ts',
  'engine/storage/copy/copy-stage.ts',
  'engine/storage/copy/export-cursor.ts',
];

it('one class opens every transaction on a connection of the pool', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    file => file.endsWith('.ts') && !file.endsWith('.spec.ts'),
  );
  const opening = sources.filter(file =>
    /\.transaction\(|startTransaction|query\(\s*(['"`]BEGIN\b|BEGIN_SNAPSHOT)|beginning\(/.test(
      readFileSync(join('src', file), 'utf8'),
    ),
  );
  expect(opening.sort()).toEqual([...OUTSIDE_THE_POOL, 'platform/database/transactions.ts'].sort());
});
