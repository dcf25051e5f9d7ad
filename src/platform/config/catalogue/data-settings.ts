import { DAY_SECONDS } from '../../../base/kernel/clock.js';
import { choice, flag, integer, list, type Setting, text, url } from '../setting.js';

/** Collections and all that works with their records. */
export const DATA_SETTINGS = {
  Collections: {
    SERVICE_WORKSPACE_SLUG: text('workspace slug in the scope of collection keys', 'collections'),
    COLLECTION_MAX_RECORDS_LIMIT: integer(
      'highest max_records of a collection',
      10_000_000,
      1,
      1_000_000_000,
    ),
    ALLOW_BULK_DELETE: flag('allow deleting records by filter', false),
    TRASH_DAYS: integer('days for which a deleted collection can be restored; 0: not at all', 7, 0, 3650),
  },
  'Imports and exports': {
    TRANSFER_PLACES: integer('simultaneous imports and exports of an instance', 6, 1, 500),
    TRANSFER_PLACES_PER_ORG: integer('of them for one organization', 4, 1, 500),
    TRANSFER_PLACES_PER_CALLER: integer('of them for one caller', 2, 1, 500),
    TRANSFER_MIN_BYTES_PER_SECOND: integer(
      'an import or export ends if its client sends or takes less; 0: no minimum',
      1024,
      0,
      1024 ** 3,
    ),
    TRANSFER_RATE_WINDOW_SECONDS: integer('time over which that rate is measured', 60, 1, 3600),
    TRANSFER_MAX_SECONDS: integer('longest time of an import or export', 3600, 1, 7 * DAY_SECONDS),
  },
  'Changes and webhooks': {
    CHANGES_RETENTION_HOURS: integer('hours for which changes of followed collections are kept', 72, 1, 8760),
    CHANGES_MAX_STREAMS: integer('open change streams of an instance', 1000, 1, 100_000),
    CHANGES_MAX_STREAMS_PER_CALLER: integer('of them for one caller', 20, 1, 100_000),
    CHANGES_STALL_SECONDS: integer(
      'time in which a client reads nothing of a stream before it is disconnected',
      30,
      1,
      3600,
    ),
    WEBHOOK_RETENTION_DAYS: integer('days for which deliveries of webhooks are kept', 14, 2, 366),
    WEBHOOK_DISABLE_AFTER_DAYS: integer(
      'days without a successful delivery after which a webhook is switched off',
      5,
      1,
      366,
    ),
  },
  'Audit log': {
    AUDIT_RETENTION_DAYS: integer('days for which audit events are kept', 365, 1, 36_500),
  },
  MCP: {
    MCP_MAX_RESULT_BYTES: integer('largest result of an MCP tool', 64 * 1024, 4096, 16 * 1024 * 1024),
    MCP_ALLOWED_HOSTS: list(
      'host names for MCP requests besides that of PUBLIC_URL and loopback names',
      'mcp.example.com',
    ),
  },
  AI: {
    AI_ADAPTER: choice('what plans answers and schemas; builtin needs no model and no network', 'builtin', [
      'builtin',
      'openai',
    ]),
    AI_BASE_URL: url(
      'OpenAI-compatible endpoint of the adapter openai',
      ['https:', 'http:'],
      'https://api.openai.com/v1',
    ),
    AI_API_KEY: text('its key; default: none is sent', undefined, 'YOUR_KEY'),
    AI_MODEL: text('its model', undefined, 'gpt-5-mini'),
    AI_TIMEOUT_MS: integer('time until the model must have answered, retries included', 20_000, 100, 300_000),
    AI_MAX_RETRIES: integer('retries after 429, 5xx or a broken connection', 2, 0, 10),
    AI_MAX_OUTPUT_TOKENS: integer('tokens of one answer of the model', 2_000, 100, 100_000),
    AI_TOKENS_PER_DAY: integer(
      'tokens that an organization may use in a day (UTC)',
      1_000_000,
      1,
      1_000_000_000_000,
    ),
    AI_INPUT_PRICE: integer('price of a million input tokens, in cents', 0, 0, 1_000_000),
    AI_OUTPUT_PRICE: integer('price of a million output tokens, in cents', 0, 0, 1_000_000),
    AI_COST_PER_DAY: integer(
      'cents that an organization may spend in a day (UTC); 0: no limit',
      0,
      0,
      1_000_000_000,
    ),
  },
} satisfies Record<string, Record<string, Setting<unknown>>>;
