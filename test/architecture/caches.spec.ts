import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** A constant with the most entries of a map or set that lives as long as the process. */
const BY_CONSTANT: Readonly<Record<string, string>> = {
  'features/auth/credential-cache.ts last': 'MAX_IDS',
  'features/auth/credential-cache.ts verified': 'MAX_ENTRIES',
  'features/auth/providers/published-documents.ts kept': 'MAX_DOCUMENTS',
  'features/changes/webhooks/webhook-messages.service.ts narrowed': 'MAX_NARROWED',
  'features/collections/collection-directory.ts ids': 'MAX_KNOWN',
  'features/collections/collection-directory.ts rows': 'MAX_KNOWN',
  'platform/database/connections/prepared-names.ts seenOnce': 'MAX_SEEN_ONCE',
  'platform/database/connections/prepared-names.ts texts': 'MAX_TEXTS',
  'platform/database/org-schema.ts known': 'MAX_KNOWN',
  'platform/http/failures.ts causes': 'MAX_CAUSES',
  'platform/http/rate-limit/rate-limit.step.ts windows': 'MAX_CALLERS',
  'platform/http/rate-limit/source-attempts.service.ts blocked': 'MAX_BLOCKED',
  'base/sql/shape.ts others': 'MAX_WEIGHT',
  'engine/storage/advice/seen-queries.ts byShape': 'MAX_SEEN_SHAPES',
  'engine/storage/table/table-statistics.service.ts growing': 'MOST_COUNTED',
};

/** What else limits a map or set. */
const OTHERWISE: Readonly<Record<string, string>> = {
  'platform/audit/audit-checkpoints.service.ts opened':
    'keys that signed checkpoints, of which there are few',
  'platform/audit/quiet-logs.service.ts counts': 'organizations, with two numbers each',
  'platform/audit/quiet-logs.service.ts linked': 'organizations, with two numbers each',
  'features/auth/credential-cache.ts dependents': 'only of credentials in `verified`',
  'features/auth/credential-cache.ts pending': 'requests in progress',
  'features/changes/change-reader.service.ts underWay': 'requests in progress',
  'features/changes/change-streams.service.ts perCaller': 'open streams, which a setting limits',
  'features/changes/change-watch.service.ts renewals': 'feeds of the last two hours that somebody waited for',
  'features/changes/change-watch.service.ts unsettled': 'only of feeds that somebody waits for',
  'features/changes/change-watch.service.ts waiters': 'requests in progress',
  'features/changes/followed-feeds.ts feeds': 'feeds of the last minute that somebody waited for',
  'features/changes/webhooks/org-turns.ts begun': 'organizations with active webhooks',
  'features/changes/webhooks/org-turns.ts running': 'work in progress, which a constant limits',
  'features/changes/webhooks/org-turns.ts slow': 'organizations with active webhooks',
  'features/changes/webhooks/webhook-dispatch.service.ts pending': 'organizations with active webhooks',
  'features/changes/webhooks/webhook-sender.service.ts sending':
    'messages in delivery, which a setting limits',
  'base/kernel/bounds/admission/share.ts parts':
    'work in progress, and MAX_REMEMBERED others (admission-queue.spec.ts)',
  'base/kernel/bounds/admission/share.ts queue': 'parts whose work waits, which the queue limits',
  'platform/database/connections/link-watch.ts links': 'open connections',
  'platform/database/connections/link-watch.ts servers': 'database servers',
  'platform/database/connections/shared-reads.ts byForm': 'requests in progress',
  'platform/database/lone-work.ts open': 'work in progress',
  'platform/database/notifications.ts handlers': 'channels, which are constants',
  'engine/filter/regex/groups.ts closed': 'groups of one pattern',
  'engine/filter/regex/groups.ts names': 'groups of one pattern',
  'engine/filter/update/values.ts others': 'values of one update',
  'engine/filter/update/values.ts scalars': 'values of one update',
  'platform/http/access/access.guard.ts checks': 'routes',
  'platform/http/body/body-arrivals.ts pending': 'requests in progress',
  'platform/http/documentation/documentation.module.ts variants': 'content codings',
  'app/jobs/job-runner.ts outcomes': 'jobs',
  'app/jobs/job-runner.ts running': 'jobs',
  'base/kernel/bounds/bounded-map.ts old': 'the limit of the map',
  'base/kernel/bounds/bounded-map.ts young': 'the limit of the map',
  'base/kernel/bounds/byte-budget.ts usedBy': 'requests in progress',
  'base/kernel/bounds/byte-budget.ts waiting': 'requests in progress',
  'base/kernel/bounds/own-turn.ts waiting': 'work in progress',
  'app/metrics/measurements.ts lastSuccess': 'jobs',
  'app/metrics/measurements.ts routes': 'routes',
  'base/sql/sql.ts cteNames': 'names in the code',
  'base/sql/sql.ts placeholders': 'types of SQL',
  'engine/storage/citus/node-server.ts created': 'temporary tables of one transaction',
  'engine/storage/copy/copy-sessions.ts open': 'open connections',
  'engine/storage/equal-reads.ts waiting': 'requests in progress',
  'engine/storage/quota/quota-leases.ts counts': 'requests in progress',
  'engine/storage/quota/quota-leases.ts leases': 'collections that were written to in the last minutes',
  'engine/storage/quota/quota-leases.ts recallableAt':
    'collections that were near their limit in the last seconds',
  'engine/storage/records/aggregate/fields.ts known': 'fields of one aggregation',
  'engine/storage/records/record-layout.ts columns': 'columns of a collection',
  'engine/storage/table/index-build-session.ts open': 'open connections',
  'features/transfer/import/field-notes.ts ignored': 'fields that the service sets',
  'features/transfer/import/field-notes.ts rounded': 'the names that a summary has',
  'features/transfer/import/import-stage.ts batch': 'rows of one batch of an import',
  'features/transfer/import/import-stage.ts lines': 'rows of one batch of an import',
};

/** A field or a variable of a module that begins as an empty map or set. */
const HELD =
  /^(?: {2}(?:(?:private|protected|readonly) )+|(?:const|let) )(\w+)(?:: [^=\n]+)? = new (?:BoundedMap|Map|Set|LinkedSet)(?:<.*>)?\((?:MAX_[A-Z_]*)?\);/gm;

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
  .map(file => [file, readFileSync(join('src', file), 'utf8')] as const);

it('every map and set that lives longer than a function has a stated limit', () => {
  const held = sources.flatMap(([file, text]) =>
    [...text.matchAll(HELD)].map(([, name]) => `${file} ${name}`),
  );
  expect([...new Set(held)].sort()).toEqual([...Object.keys(BY_CONSTANT), ...Object.keys(OTHERWISE)].sort());
});

it.each(Object.entries(BY_CONSTANT))('%s is limited by %s', (cache, limit) => {
  const [file] = cache.split(' ') as [string];
  const text = sources.find(([each]) => each === file)?.[1] ?? '';
  expect(text).toMatch(new RegExp(`const ${limit} =`));
  // It is compared, or given to a map that has a limit.
  expect(text.match(new RegExp(`\\b${limit}\\b`, 'g'))?.length).toBeGreaterThan(1);
});
