import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../src/platform/config/settings.js';
import { type Table, tablesOf } from './examples.js';

/** The source of each row: a constant in a file of src/, or a bound in docs/openapi.json. */
const SOURCES: Readonly<Record<string, string>> = {
  'Seconds to confirm with a passkey':
    'features/auth/passkeys/passkey-challenges.service.ts CHALLENGE_SECONDS',
  'Age of a sign-in that may register a passkey, in milliseconds':
    'features/auth/passkeys/passkeys.service.ts FRESH_MS',
  'Passkeys of a person': 'features/auth/passkeys/passkeys.service.ts MAX_PASSKEYS',
  'Entries or records of a page': 'base/kernel/limits.ts MAX_LIMIT',
  'Records of a page that is read with a cursor':
    'features/records/query/query-records.dto.ts MAX_CURSOR_LIMIT',
  'Characters of a preview of a value': 'features/records/query/query-records.dto.ts MAX_PREVIEW',
  'Bytes of any other request body': 'platform/http/body/body.decorators.ts SMALL_BODY_BYTES',
  "Milliseconds after a response in which the rest of the request's body is discarded":
    'platform/http/server/connections.ts DISCARD_MS',
  'Milliseconds in which a client reads nothing of a response':
    'platform/http/server/platform-adapter.ts STALL_MS',
  'Milliseconds until the headers of a request are complete':
    'platform/http/server/platform-adapter.ts HEADERS_TIMEOUT_MS',
  'Levels of a request body': 'platform/http/body/json-body.ts MAX_LEVELS',
  'Members of one object of a request body': 'base/kernel/limits.ts MAX_MEMBERS',
  'Fields of a form': 'platform/http/body/form-body.ts MAX_FIELDS',
  'Problems listed in an error': 'platform/http/validation.pipe.ts MAX_PROBLEMS',
  'Waiting statements on records of an organization, per instance':
    'platform/database/admission/admission.ts WAITING_PER_ORG',
  'Waiting statements on records of a collection, per instance':
    'platform/database/admission/admission.ts WAITING_PER_COLLECTION',
  'Waiting statements of a caller on records of a collection, per instance':
    'platform/database/admission/admission.ts WAITING_PER_CALLER',
  'Arguments of an MCP message': 'features/mcp/protocol/transport.ts MAX_ARGUMENTS',
  'Values of an MCP message beside its arguments': 'features/mcp/protocol/transport.ts MAX_ENVELOPE_VALUES',
  'Characters of a cursor': 'SearchRecordsBody.cursor.maxLength',
  'Characters of a name': 'CreateCollectionBody.name.maxLength',
  'Characters of a description': 'CreateCollectionBody.description.maxLength',
  Columns: 'base/kernel/limits.ts MAX_COLUMNS',
  'Characters of a column name': 'BulkInsertRecordsBody.upsert_key.maxLength',
  Indexes: 'base/kernel/limits.ts MAX_INDEXES',
  'Unique constraints': 'base/kernel/limits.ts MAX_INDEXES',
  'Columns of one index or unique constraint':
    'features/collections/schema/parse-schema.ts MAX_INDEX_COLUMNS',
  'Shapes of queries that an instance counts for the advice on indexes':
    'engine/storage/advice/seen-queries.ts MAX_SEEN_SHAPES',
  'Characters of the values of a query that is counted for it':
    'engine/storage/advice/seen-queries.ts MAX_CHARS',
  'Days that these counts are kept': 'features/advice/seen-shapes.service.ts KEPT_DAYS',
  'Records, by default': 'CollectionSettingsBody.max_records.default',
  'Longest `ttl_days`': 'CollectionSettingsBody.ttl_days.maximum',
  'Longest `history_days`': 'CollectionSettingsBody.history_days.maximum',
  'Agents in `agent_ids`': 'CreateCollectionBody.agent_ids.maxItems',
  Charts: 'features/charts/charts.module.ts MAX_CHARTS',
  'Saved views for all, and saved views of one principal': 'features/views/views.service.ts MAX_VIEWS',
  'Columns of a saved view': 'base/kernel/limits.ts MAX_COLUMNS',
  'Records of an insert': 'features/records/insert-records.service.ts MAX_INSERT',
  'Records of a bulk insert': 'features/records/insert-records.service.ts MAX_BULK',
  'Operations of a batch': 'features/records/batch/batch.dto.ts MAX_OPERATIONS',
  'Characters of the records that updates of a batch depend on':
    'features/records/batch/batch-changes.ts MAX_READ',
  'Records of an undo or a restore': 'engine/storage/history/inserted-ids.ts MAX_UNDONE',
  'Events that an undo names': 'features/history/undo.dto.ts MAX_EVENTS',
  'Conflicts that an undo lists': 'features/history/planned-records.ts MAX_CONFLICTS',
  'Bytes of a record': 'base/kernel/limits.ts MAX_RECORD_BYTES',
  'Levels of a record': 'base/kernel/limits.ts MAX_RECORD_LEVELS',
  'Fields of one object in a record': 'base/kernel/limits.ts MAX_MEMBERS',
  'Characters of a field name': 'engine/columns/document.column.ts MAX_NAME_LENGTH',
  'Values of a record, an update or a filter': 'base/kernel/limits.ts MAX_VALUES',
  'Parts of all paths of an update': 'engine/filter/update/parse.ts MAX_PARTS',
  'Fields of an update': 'engine/filter/update/parse.ts MAX_FIELDS',
  'Nulls that an update adds to arrays': 'engine/filter/update/member.ts MAX_PADDING',
  'Values that `$push` with `$sort` compares': 'engine/filter/update/arrays.ts MAX_SORTED',
  'Fields of `match_fields`': 'UpsertRecordBody.match_fields.maxItems',
  'Values of `distinct`': 'engine/storage/records/distinct.ts MAX_DISTINCT',
  'Fields of `group_by`': 'features/analytics/parse-aggregation.ts MAX_GROUP_FIELDS',
  'Groups of an aggregate': 'engine/storage/records/aggregate/aggregate.ts MAX_GROUPS',
  'Refused rows listed in an error': 'features/records/bulk-records.ts MAX_REPORTED',
  'Record ids in an audit event': 'platform/audit/audit-log.ts MAX_RECORD_IDS',
  'Characters of one row of a file': 'base/kernel/limits.ts MAX_RECORD_BYTES',
  'Fields of a line of a CSV file': 'features/transfer/import/csv-reader.ts MAX_FIELDS',
  'Columns of a CSV export': 'features/transfer/exports.service.ts MAX_CSV_COLUMNS',
  'Ratio of unpacked to compressed size of a file': 'features/transfer/import/body-text.ts MAX_EXPANSION',
  'Milliseconds without a byte of a file': 'platform/http/transfer-pace.ts STALL_MS',
  'Refused rows listed in the summary of an import': 'features/transfer/import/import-answer.ts MAX_REPORTED',
  'Characters of the text of a refused row': 'features/transfer/import/refused-rows.ts MAX_LINE_LENGTH',
  'Characters of a question': 'AskCollectionBody.question.maxLength',
  'Characters of a description of data': 'SuggestSchemaBody.description.maxLength',
  'Samples of a schema': 'SuggestSchemaBody.samples.maxItems',
  'Different names in samples that are replaced by names of columns':
    'features/ai/builtin-schemas/builtin-schemas.ts MAX_REPLACED',
  'Reads for an answer': 'features/ai/questions/plan-runs.service.ts MAX_READS',
  'Milliseconds in which these reads start': 'features/ai/questions/plan-runs.service.ts READING_MS',
  'Groups in an answer': 'features/ai/questions/plan-runs.service.ts MAX_GROUPS',
  'Changes in a response': 'features/changes/changes.dto.ts MAX_CHANGES',
  'Changes that a filter examines for a response': 'engine/storage/changes/changes.ts MAX_EXAMINED',
  'Days until an unused feed ends': 'features/changes/change-feeds.service.ts IDLE_DAYS',
  'Webhooks of a collection': 'features/changes/webhooks/webhooks.service.ts MAX_WEBHOOKS',
  "Characters of a webhook's address": 'CreateWebhookBody.url.maxLength',
  'Changes in a message': 'features/changes/webhooks/messages.ts MAX_CHANGES',
  'Attempts to deliver a message': 'features/changes/webhooks/messages.ts MAX_ATTEMPTS',
  'Messages in delivery, per instance': 'features/changes/webhooks/webhook-claim.ts MOST_AT_ONCE',
  'Messages of an organization in delivery, per instance':
    'features/changes/webhooks/webhook-claim.ts MOST_OF_ORG',
  'Messages of a webhook in delivery, per instance':
    'features/changes/webhooks/webhook-claim.ts MOST_OF_WEBHOOK',
  'Messages of a failing webhook in delivery, per instance':
    'features/changes/webhooks/webhook-claim.ts MOST_OF_FAILING',
  'Messages of all failing webhooks in delivery, per instance':
    'features/changes/webhooks/webhook-claim.ts MOST_OF_ALL_FAILING',
  'Levels of a filter': 'engine/filter/parse.ts MAX_LEVELS',
  'Conditions of a filter': 'engine/filter/parse.ts MAX_CONDITIONS',
  'Values of `$in` and `$nin`': 'engine/filter/operators/comparison.ts MAX_IN',
  'Characters of a `$regex`': 'engine/filter/operators/evaluation.ts MAX_PATTERN_LENGTH',
  'Characters of a `$search`': 'engine/filter/operators/text-search.ts MAX_TEXT_LENGTH',
  'Characters of a path': 'engine/filter/field-path.ts MAX_LENGTH',
  'Parts of a path': 'engine/filter/field-path.ts MAX_PARTS',
  'Numeric parts of a path': 'engine/filter/field-path.ts MAX_INDEXES',
  'Parts of all paths with numeric parts in a filter': 'engine/filter/parse.ts MAX_PARTS',
  'Fields of a sort': 'engine/filter/sort.ts MAX_SORT_FIELDS',
  'Fields of a projection': 'engine/filter/projection.ts MAX_FIELDS',
  'Milliseconds until a provider has responded': 'platform/outbound/outbound-fetch.ts TIMEOUT_MS',
  "Bytes of a provider's response": 'platform/outbound/outbound-fetch.ts MAX_BYTES',
  'Keys of a provider': 'features/auth/providers/provider-documents.service.ts MAX_KEYS',
  'Milliseconds until the keys of a provider are read again':
    'features/auth/providers/published-documents.ts FRESH_MS',
  'Characters of an id_token': 'features/auth/providers/id-tokens.service.ts MAX_LENGTH',
  'Providers listed for a sign-in page': 'features/orgs/sso/providers.service.ts MAX_LISTED',
  'Seconds to sign in at a provider': 'features/auth/login/relying-party.service.ts SECONDS',
  'Seconds of grace of a rotated secret': 'RotateApiKeyBody.grace_seconds.maximum',
  'Permissions of a key or role': 'features/orgs/right.fields.ts MAX_PERMISSIONS',
};

const settings = new Map(
  Object.values(SETTINGS)
    .flatMap(group => Object.entries(group))
    .map(([name, { fallback }]) => [name, fallback as unknown]),
);

describe('docs/limits.md', async () => {
  const isLimits = ({ header }: Table) => header.join() === 'Limit,Value,Setting,Note';
  const rows = tablesOf(await readFile('docs/limits.md', 'utf8'))
    .filter(isLimits)
    .flatMap(table => table.rows)
    .map(([limit, value, setting]) => ({
      limit: limit!,
      value: Number(value!.replaceAll(',', '')),
      setting: setting!.replaceAll('`', ''),
    }));

  it('states the default of every setting it names', () => {
    const named = rows.filter(({ setting }) => setting !== '');
    expect(named.length).toBeGreaterThan(10);
    for (const { setting, value } of named)
      expect([setting, value]).toEqual([setting, settings.get(setting)]);
  });

  it('names every rate limit', () => {
    const limits = [...settings.keys()].filter(name => name.startsWith('RATE_LIMIT_'));
    expect(rows.map(({ setting }) => setting)).toEqual(expect.arrayContaining(limits));
  });

  it.each(Object.entries(SOURCES))('states for "%s" the value of %s', async (limit, source) => {
    expect(rows.find(row => row.limit === limit)?.value).toBe(await numberAt(source));
  });
});

async function numberAt(source: string): Promise<number> {
  const [file, constant] = source.split(' ') as [string, string | undefined];
  if (constant === undefined) return boundOf(source);
  const text = await readFile(`src/${file}`, 'utf8');
  const factors = new RegExp(`const ${constant} = ([\\d_ *]+);`).exec(text)?.[1]?.split('*') ?? [];
  return factors.reduce((product, factor) => product * Number(factor.replaceAll('_', '')), 1);
}

async function boundOf(source: string): Promise<number> {
  const [schema, property, bound] = source.split('.') as [string, string, string];
  const { components } = JSON.parse(await readFile('docs/openapi.json', 'utf8'));
  return components.schemas[schema].properties[property][bound];
}
