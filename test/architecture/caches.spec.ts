import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** A constant with the most entries of a map or set that lives as long as the process. */
const BY_CONSTANT: Readonly<Record<string, string>> = {
  'auth/credential-cache.ts last': 'MAX_IDS',
  'auth/credential-cache.ts verified': 'MAX_ENTRIES',
  'auth/providers/published-documents.ts kept': 'MAX_DOCUMENTS',
  'changes/webhooks/webhook-messages.service.ts narrowed': 'MAX_NARROWED',
  'collections/collection-directory.ts ids': 'MAX_KNOWN',
  'collections/collection-directory.ts rows': 'MAX_KNOWN',
  'database/connections/prepared-names.ts seenOnce': 'MAX_SEEN_ONCE',
  'database/connections/prepared-names.ts texts': 'MAX_TEXTS',
  'database/org-schema.ts known': 'MAX_KNOWN',
  'http/failures.ts causes': 'MAX_CAUSES',
  'http/rate-limit/rate-limit.step.ts windows': 'MAX_CALLERS',
  'http/rate-limit/source-attempts.service.ts blocked': 'MAX_BLOCKED',
  'sql/shape.ts others': 'MAX_WEIGHT',
  'storage/advice/seen-queries.ts byShape': 'MAX_SEEN_SHAPES',
  'storage/table/table-statistics.service.ts growing': 'MOST_COUNTED',
};

/** What else limits a map or set. */
const OTHERWISE: Readonly<Record<string, string>> = {
  'audit/audit-checkpoints.service.ts opened': 'keys that signed checkpoints, of which there are few',
  'audit/quiet-logs.service.ts counts': 'organizations, with two numbers each',
  'audit/quiet-logs.service.ts linked': 'organizations, with two numbers each',
  'auth/credential-cache.ts dependents': 'only of credentials in `verified`',
  'auth/credential-cache.ts pending': 'requests in progress',
  'changes/change-reader.service.ts underWay': 'requests in progress',
  'changes/change-streams.service.ts perCaller': 'open streams, which a setting limits',
  'changes/change-watch.service.ts renewals': 'feeds of the last two hours that somebody waited for',
  'changes/change-watch.service.ts unsettled': 'only of feeds that somebody waits for',
  'changes/change-watch.service.ts waiters': 'requests in progress',
  'changes/followed-feeds.ts feeds': 'feeds of the last minute that somebody waited for',
  'changes/webhooks/org-turns.ts begun': 'organizations with active webhooks',
  'changes/webhooks/org-turns.ts running': 'work in progress, which a constant limits',
  'changes/webhooks/org-turns.ts slow': 'organizations with active webhooks',
  'changes/webhooks/webhook-dispatch.service.ts pending': 'organizations with active webhooks',
  'changes/webhooks/webhook-sender.service.ts sending': 'messages in delivery, which a setting limits',
  'kernel/bounds/admission/share.ts parts':
    'work in progress, and MAX_REMEMBERED others (admission-queue.spec.ts)',
  'kernel/bounds/admission/share.ts queue': 'parts whose work waits, which the queue limits',
  'database/connections/link-watch.ts links': 'open connections',
  'database/connections/link-watch.ts servers': 'database servers',
  'database/connections/shared-reads.ts byForm': 'requests in progress',
  'database/lone-work.ts open': 'work in progress',
  'database/notifications.ts handlers': 'channels, which are constants',
  'filter/regex/groups.ts closed': 'groups of one pattern',
  'filter/regex/groups.ts names': 'groups of one pattern',
  'filter/update/values.ts others': 'values of one update',
  'filter/update/values.ts scalars': 'values of one update',
  'http/access/access.guard.ts checks': 'routes',
  'http/body/body-arrivals.ts pending': 'requests in progress',
  'http/documentation/documentation.module.ts variants': 'content codings',
  'jobs/job-runner.ts outcomes': 'jobs',
  'jobs/job-runner.ts running': 'jobs',
  'kernel/bounds/bounded-map.ts old': 'the limit of the map',
  'kernel/bounds/bounded-map.ts young': 'the limit of the map',
  'kernel/bounds/byte-budget.ts usedBy': 'requests in progress',
  'kernel/bounds/byte-budget.ts waiting': 'requests in progress',
  'kernel/bounds/own-turn.ts waiting': 'work in progress',
  'metrics/measurements.ts lastSuccess': 'jobs',
  'metrics/measurements.ts routes': 'routes',
  'sql/sql.ts cteNames': 'names in the code',
  'sql/sql.ts placeholders': 'types of SQL',
  'storage/citus/node-server.ts created': 'temporary tables of one transaction',
  'storage/copy/copy-sessions.ts open': 'open connections',
  'storage/equal-reads.ts waiting': 'requests in progress',
  'storage/quota/quota-leases.ts counts': 'requests in progress',
  'storage/quota/quota-leases.ts leases': 'collections that were written to in the last minutes',
  'storage/quota/quota-leases.ts recallableAt': 'collections that were near their limit in the last seconds',
  'storage/records/aggregate.ts known': 'fields of one aggregation',
  'storage/records/record-layout.ts columns': 'columns of a collection',
  'storage/table/index-build-session.ts open': 'open connections',
  'transfer/import/field-notes.ts ignored': 'fields that the service sets',
  'transfer/import/field-notes.ts rounded': 'the names that a summary has',
  'transfer/import/import-stage.ts batch': 'rows of one batch of an import',
  'transfer/import/import-stage.ts lines': 'rows of one batch of an import',
};

/** A field or a variable of a module that begins as an empty map or set. */
const HELD =
  /^(?: {2}(?:(?:private|protected|readonly) )+|(?:const|let) )(\w+)(?:: [^=\n]+)? = new (?:BoundedMap|Map|Set|LinkedSet)(?:<.*>)?\((?:MAX_[A-Z_]*)?\);/gm;

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !file.startsWith('plain-questions/'))
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
