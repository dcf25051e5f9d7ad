import { type Command, Option } from 'commander';
import { listArgument, objectArgument, sortArgument } from '../arguments.js';
import { AS_OF, COLLECTION, examples, type Run } from '../command.js';
import type { Context } from '../context.js';
import type { FileFormat } from '../files/text-file.js';
import { inBytes, Progress } from '../output/progress.js';

interface Flags {
  readonly format?: FileFormat;
  readonly safe?: true;
  readonly filter?: string;
  readonly sort?: string;
  readonly fields?: string;
  readonly asOf?: string;
}

/** A collection into a file. */
export function addExportCommand(program: Command, run: Run): void {
  program
    .command('export')
    .argument(...COLLECTION)
    .description('export all records as they are at one instant')
    .addOption(
      new Option('--format <format>', 'by default as the name of --out ends, otherwise csv').choices([
        'csv',
        'ndjson',
        'json',
      ]),
    )
    .option('--safe', 'with CSV: guard texts that a spreadsheet would run as formulas')
    .option('--filter <filter>', 'JSON, @file or - for stdin')
    .option('--sort <fields>', 'for example -year,title')
    .option('--fields <names>', 'for example title,year')
    .option(...AS_OF)
    .addHelpText(
      ...examples(
        'tcol export books --out books.csv.gz',
        `tcol export books --filter '{"year":{"$gt":1900}}' --format ndjson`,
      ),
    )
    .action(run(exportRecords));
}

async function exportRecords(context: Context, flags: Flags, name: string): Promise<void> {
  const { out, output } = context.options;
  const wanted = flags.format ?? (output === 'csv' || output === 'ndjson' ? output : undefined);
  const progress = new Progress(context.io.stderr, out !== undefined && context.showsProgress);
  const file = context.collection(name).export({
    format: wanted ?? formatOf(out ?? ''),
    safe: flags.safe,
    filter: flags.filter === undefined ? undefined : await objectArgument(context, 'filter', flags.filter),
    sort: await sortArgument(context, flags.sort),
    fields: flags.fields === undefined ? undefined : listArgument(flags.fields),
    asOf: flags.asOf,
    signal: context.signal,
    onProgress: ({ bytes }) => progress.show(undefined, `${inBytes(bytes)} received`),
  });
  try {
    await context.output.raw(file.stream() as AsyncIterable<Uint8Array>);
  } finally {
    progress.end();
  }
  if (out !== undefined) context.say(`Exported ${name} to ${out}.`);
}

/** The format of a file with this name. */
function formatOf(name: string): FileFormat {
  const [, ending] = /\.(ndjson|jsonl|json)(?:\.gz)?$/i.exec(name) ?? [];
  if (ending === undefined) return 'csv';
  return ending.toLowerCase() === 'json' ? 'json' : 'ndjson';
}
