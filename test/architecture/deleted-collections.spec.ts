import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** Files with SQL on `collections` that rightly reads collections in the trash too, and why. */
const WITH_TRASH: Readonly<Record<string, string>> = {
  'features/changes/change-feeds.service.ts': 'one checks the version; one only ends a feed',
  'features/collections/agent-bindings.ts': 'reads a collection that its transaction has locked',
  'features/collections/collection-expiry.service.ts': 'sets a mark that is harmless in the trash',
  'features/collections/trash/trash-removal.service.ts': 'is about the trash',
  'platform/database/citus/org-placement.ts': 'copies all versions, so that a restore can raise them',
  'app/metrics/measurements.ts': 'the history of a collection in the trash takes space too',
  'engine/storage/citus/distribution.ts': 'a restored collection has no history on Citus either',
  'engine/storage/history/inserted-ids.ts': 'a restored collection can still be undone',
  'engine/storage/history/measure-versions.ts': 'the history of a collection in the trash takes space too',
  'engine/storage/statement.ts': 'one checks the version, which a move to the trash raises',
};

/** Statements in plain SQL: TypeORM leaves collections in the trash out by itself. */
const STATEMENT =
  /\b(?:FROM|JOIN|UPDATE|USING)\s+(?:(?:public\.)?collections\b|\$\{COLLECTIONS\})[^;]{0,300}/g;

it('every statement in plain SQL leaves out collections in the trash, except the listed ones', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    file => file.endsWith('.ts') && !file.endsWith('.spec.ts'),
  );
  const reading = sources.filter(file => {
    const statements = readFileSync(join('src', file), 'utf8').match(STATEMENT) ?? [];
    return statements.some(statement => !/\bdeleted_at'? IS NULL\b/.test(statement));
  });
  expect(reading.sort()).toEqual(Object.keys(WITH_TRASH).sort());
});
