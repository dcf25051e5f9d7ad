import type { Command } from 'commander';
import { numberArgument, objectArgument } from '../arguments.js';
import { COLLECTION, cursorPages, examples, first, type Run } from '../command.js';
import type { Context } from '../context.js';
import type { Row } from '../output/output.js';

/** What happens to a collection, and what happened. */
export function addHistoryCommands(program: Command, run: Run): void {
  program
    .command('watch')
    .argument(...COLLECTION)
    .description('print the changes of records as they are made, until Ctrl-C')
    .option('--since <position>', "begin after the change with this id; '' for all that are kept")
    .option('--filter <filter>', 'JSON, @file or - for stdin')
    .option('--limit <count>', 'end after so many changes', numberArgument('limit'))
    .addHelpText(
      ...examples(
        'tcol watch books --limit 1',
        `tcol watch books --filter '{"year":{"$gt":1900}}' --limit 1 -o ndjson`,
      ),
    )
    .action(run(watch));
  program
    .command('audit')
    .argument(...COLLECTION)
    .description('print who did what with a collection, newest first')
    .option('--action <type>', 'for example collections.records.deleted')
    .option('--since <instant>', 'for example 2026-01-31T12:00:00Z')
    .option('--until <instant>', 'for example 2026-02-28T12:00:00Z')
    .option('--limit <count>', 'print at most so many', numberArgument('limit'), 20)
    .addHelpText(
      ...examples('tcol audit books', 'tcol audit books --action collections.records.inserted -o ndjson'),
    )
    .action(run(audit));
}

interface WatchFlags {
  readonly since?: string;
  readonly filter?: string;
  readonly limit?: number;
}

/** The columns of a change, so that each is printed when it is made. */
const CHANGE = { all: ['id', 'type', 'record_id', 'changed_at', 'record'] };

async function watch(context: Context, flags: WatchFlags, name: string): Promise<void> {
  const { signal, output } = context;
  const filter =
    flags.filter === undefined ? undefined : await objectArgument(context, 'filter', flags.filter);
  const feed = context.collection(name).changes({ since: flags.since, filter, signal });
  const changes = first(feed as AsyncIterable<object>, flags.limit ?? Number.POSITIVE_INFINITY);
  if (output.format !== 'table') return void (await output.rows(changes as AsyncIterable<Row>, CHANGE));
  for await (const { changed_at, type, record_id, record } of changes as AsyncIterable<Row>)
    await output.raw([`${changed_at}  ${type}  ${record_id}  ${JSON.stringify(record)}\n`]);
}

interface AuditFlags {
  readonly action?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
}

async function audit(
  { api, output }: Context,
  { action, since, until, limit }: AuditFlags,
  collection_id: string,
): Promise<void> {
  const wanted = { collection_id, action, since, until };
  const events = await cursorPages(limit, page => api.collections.listAuditEvents({ ...wanted, ...page }));
  if (output.format !== 'table') return void (await output.rows(events));
  await output.rows(
    events.map(({ createdAt, type, actor, count, target }) => ({
      ...{ at: createdAt, action: type.replace(/^collections\./, ''), by: `${actor.type} ${actor.id}` },
      ...{ via: actor.via, records: count, target: target.name ?? target.id },
    })),
  );
}
