import type { Command } from 'commander';
import { objectArgument } from '../arguments.js';
import { examples, first, type Run } from '../command.js';
import type { Context } from '../context.js';
import type { Row } from '../output/output.js';

interface Flags {
  readonly since?: string;
  readonly filter?: string;
  readonly limit?: number;
}

/** Following the changes of a collection. */
export function addWatchCommand(program: Command, run: Run): void {
  program
    .command('watch')
    .argument('<collection>', 'name or id')
    .description('print the changes of records as they are made, until Ctrl-C')
    .option('--since <position>', 'begin after this change: its id')
    .option('--filter <filter>', 'JSON, @file or - for stdin')
    .option('--limit <count>', 'end after so many changes', Number)
    .addHelpText(
      'after',
      examples(
        'tcol watch books --limit 1',
        `tcol watch books --filter '{"year":{"$gt":1900}}' --limit 1 -o ndjson`,
      ),
    )
    .action(run(watch));
}

async function watch(context: Context, flags: Flags, name: string): Promise<void> {
  const { signal, output } = context;
  const filter =
    flags.filter === undefined ? undefined : await objectArgument(context, 'filter', flags.filter);
  const feed = context.collection(name).changes({ since: flags.since, filter, signal });
  const changes = first(
    feed as AsyncIterable<unknown> as AsyncIterable<Row>,
    flags.limit ?? Number.POSITIVE_INFINITY,
  );
  if (output.format !== 'table') return void (await output.rows(changes));
  for await (const { changed_at, type, record_id, record } of changes) {
    await output.raw([`${changed_at}  ${type}  ${record_id}  ${JSON.stringify(record)}\n`]);
  }
}
