import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import {
  CollectionFullError,
  type ImportOptions,
  type ImportProgress,
  type ImportSummary,
  TcError,
} from '@typed-collections/client';
import type { Command } from 'commander';
import { listArgument, numberArgument, objectArgument, sortArgument } from '../arguments.js';
import { examples, type Run } from '../command.js';
import type { Context } from '../context.js';
import { CliError, EXIT, type ExitCode, misuse } from '../exit.js';
import { headerOf, mapped } from '../files/header.js';
import { inspect, sourceOf, stdinSource, type TextFile } from '../files/text-file.js';
import { counted, inBytes, Progress } from '../output/progress.js';
import { printable } from '../output/table.js';

interface ImportFlags {
  readonly format?: 'csv' | 'ndjson';
  readonly upsertBy?: string;
  readonly onError: 'abort' | 'skip';
  readonly map: Readonly<Record<string, string | null>>;
  readonly refusedTo?: string;
  readonly maxRecords?: number;
  readonly dryRun?: boolean;
}

interface ExportFlags {
  readonly format?: 'csv' | 'ndjson';
  readonly filter?: string;
  readonly sort?: string;
  readonly fields?: string;
}

interface Refused {
  readonly row: number;
  readonly column: string | null;
  readonly problem: string;
  readonly line?: string | null;
}

/** Problems printed one by one. All of them go to the file of --refused-to. */
const MAX_PRINTED = 20;

/** Files in and out. */
export function addTransferCommands(program: Command, run: Run): void {
  program
    .command('import')
    .argument('<collection>', 'name or id')
    .argument('<file>', 'CSV, TSV or NDJSON, also as .gz; - for stdin')
    .description('import a file: all of it, or with --on-error skip the rows that fit')
    .option('--format <format>', 'csv or ndjson, if the name of the file does not tell')
    .option('--upsert-by <column>', 'update the records that have the same value there')
    .option(
      '--on-error <what>',
      'abort: import all rows or none; skip: leave out rows that do not fit',
      'abort',
    )
    .option(
      '--map <header=column>',
      'import a header into another column; header= leaves it out',
      mapping,
      {},
    )
    .option('--refused-to <file>', 'write the refused rows there, to correct and import them again')
    .option(
      '--max-records <count>',
      'raise the limit of the collection to this first',
      numberArgument('max-records'),
    )
    .option('--dry-run', 'only check the file')
    .addHelpText(
      'after',
      examples(
        'tcol import books books.csv --dry-run',
        'tcol import books books.csv --on-error skip --refused-to refused.csv',
      ),
    )
    .action(run(importRecords));
  program
    .command('export')
    .argument('<collection>', 'name or id')
    .description('export all records as they are at one instant, as CSV or NDJSON')
    .option('--format <format>', 'csv or ndjson; by default as the name of --out ends, otherwise csv')
    .option('--filter <filter>', 'JSON, @file or - for stdin')
    .option('--sort <fields>', 'for example -year,title')
    .option('--fields <names>', 'for example title,year')
    .addHelpText(
      'after',
      examples(
        'tcol export books --out books.csv',
        `tcol export books --filter '{"year":{"$gt":1900}}' --format ndjson`,
      ),
    )
    .action(run(exportRecords));
}

function mapping(
  text: string,
  before: Readonly<Record<string, string | null>>,
): Record<string, string | null> {
  const at = text.lastIndexOf('=');
  if (at < 1) throw misuse(`--map: "${text}" is not header=column.`);
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) || null };
}

async function importRecords(
  context: Context,
  flags: ImportFlags,
  name: string,
  path: string,
): Promise<ExitCode> {
  if (flags.onError !== 'abort' && flags.onError !== 'skip')
    throw misuse('--on-error expects abort or skip.');
  const file = path === '-' ? undefined : await inspect(path, flags);
  if (file?.encoding !== undefined)
    context.say(`${path} is encoded as ${file.encoding}; it is sent as UTF-8.`);
  const columns = file === undefined ? flags.map : await columnsFor(context, name, file, flags.map);
  if (flags.maxRecords !== undefined && !flags.dryRun) await raiseLimit(context, name, flags.maxRecords);
  const refused = new RefusedRows(flags.refusedTo, file);
  const progress = new Progress(
    context.io.stderr,
    context.io.stderr.isTTY === true && !context.options.quiet,
  );
  const options: ImportOptions = {
    ...{ upsertKey: flags.upsertBy, onError: flags.onError, dryRun: flags.dryRun, signal: context.signal },
    format: file?.format ?? flags.format ?? 'csv',
    encoding: file?.gzip && file.encoding === undefined ? 'gzip' : undefined,
    columns: Object.keys(columns).length === 0 ? undefined : columns,
    onRefused: row => refused.add(row),
    onProgress: at => progress.show(shareOf(at), textOf(at)),
  };
  try {
    const source = file === undefined ? stdinSource(context.io) : await sourceOf(file);
    const summary = await context.collection(name).import(source, options);
    progress.end();
    await refused.close();
    return report(context, summary, refused);
  } catch (error) {
    progress.end();
    await refused.close();
    throw explained(error, context, name, refused);
  }
}

/** Where each header goes. Headers that name a column but for case and punctuation are proposed to the person. */
async function columnsFor(
  context: Context,
  name: string,
  file: TextFile,
  wanted: Readonly<Record<string, string | null>>,
): Promise<Readonly<Record<string, string | null>>> {
  if (file.format !== 'csv') return {};
  const header = headerOf(file);
  const unknown = Object.keys(wanted).filter(each => !header.includes(each));
  if (unknown.length > 0)
    throw misuse(
      `--map: ${file.name} has no header "${unknown.join('", "')}".`,
      `It has: ${header.join(', ')}.`,
    );
  const { schema } = await context.api.collections.getCollection({ collection_id: name });
  const proposed = mapped(
    header.filter(each => !Object.hasOwn(wanted, each)),
    Object.keys(schema),
  );
  const found = Object.entries(proposed);
  if (found.length === 0) return wanted;
  context.say(`These headers are not columns of ${name}, but look like them:`);
  for (const [from, to] of found) context.say(`  ${printable(from)} → ${to}`);
  if (!context.options.yes && !context.isInteractive) {
    context.say(
      'They are imported as fields of their own. Pass --yes to import them into the columns, or use --map.',
    );
    return wanted;
  }
  await context.confirm('Import them into these columns?');
  return { ...proposed, ...wanted };
}

async function raiseLimit(context: Context, name: string, maxRecords: number): Promise<void> {
  const { settings } = await context.api.collections.getCollection({ collection_id: name });
  if (settings.max_records >= maxRecords) return;
  await context.confirm(
    `Raise the limit of ${name} from ${settings.max_records} to ${counted(maxRecords, 'record')}?`,
  );
  await context.api.collections.updateCollection({
    collection_id: name,
    settings: { ...settings, max_records: maxRecords },
  });
}

function shareOf({ phase, bytes, totalBytes }: ImportProgress): number | undefined {
  return phase === 'sending' && totalBytes ? bytes / totalBytes : undefined;
}

function textOf({ phase, bytes, totalBytes, rows }: ImportProgress): string {
  if (phase !== 'sending') return `${phase}: ${counted(rows, 'row')}`;
  return `${inBytes(bytes)}${totalBytes === undefined ? '' : ` of ${inBytes(totalBytes)}`}, ${counted(rows, 'row')} read`;
}

async function report(context: Context, summary: ImportSummary, refused: RefusedRows): Promise<ExitCode> {
  const { inserted, updated, skipped, dry_run } = summary;
  refused.tell(context);
  const done = dry_run ? ['would be inserted', 'would be updated'] : ['inserted', 'updated'];
  const { errors: _errors, ...counts } = summary;
  if (context.output.format === 'table') {
    const parts = [
      `${counted(inserted, 'record')} ${done[0]}`,
      updated > 0 && `${updated.toLocaleString('en-US')} ${done[1]}`,
      skipped > 0 && `${counted(skipped, 'row')} left out`,
    ];
    await context.output.raw([`${parts.filter(Boolean).join(', ')}\n`]);
  } else {
    await context.output.value(counts);
  }
  return skipped > 0 ? EXIT.partly : EXIT.done;
}

function explained(error: unknown, context: Context, name: string, refused: RefusedRows): unknown {
  if (context.signal.aborted) {
    return new CliError(
      'Interrupted: the import did not finish.',
      EXIT.interrupted,
      `See what is there: tcol count ${name}`,
    );
  }
  if (error instanceof CollectionFullError)
    return new CliError(
      error.message,
      EXIT.refused,
      'Nothing was imported. Pass --max-records to raise the limit.',
    );
  if (!(error instanceof TcError) || !Array.isArray(error.details) || error.details[0]?.row === undefined)
    return error;
  if (refused.count === 0) for (const each of error.details as Refused[]) refused.note(each);
  refused.tell(context);
  return new CliError(
    'Nothing was imported.',
    EXIT.refused,
    'Correct these rows, or pass --on-error skip to leave them out.',
  );
}

/** The rows that the service refused: the first ones for the terminal, all of them for a file. */
class RefusedRows {
  count = 0;
  /** Rows that the service returned without their text. */
  private withoutText = 0;
  private readonly first: Refused[] = [];
  private readonly target: ReturnType<typeof createWriteStream> | undefined;

  constructor(path: string | undefined, file: TextFile | undefined) {
    this.target = path === undefined ? undefined : createWriteStream(path);
    // So that the file can be imported after its rows are corrected.
    if (file?.format === 'csv')
      this.target?.write(`${file.sample.split(/\r?\n/, 1)[0]?.replace(/^\uFEFF/, '')}\n`);
  }

  add(row: Refused): void {
    this.note(row);
    if (row.line === null) this.withoutText += 1;
    else if (row.line !== undefined) this.target?.write(`${row.line.replace(/\r?\n$/, '')}\n`);
  }

  note(row: Refused): void {
    this.count += 1;
    if (this.first.length < MAX_PRINTED) this.first.push(row);
  }

  tell(context: Context): void {
    for (const { row, column, problem } of this.first) {
      const place = column === null ? `row ${row}` : `row ${row}, column ${printable(column)}`;
      context.io.stderr.write(`${place}: ${printable(problem)}\n`);
    }
    if (this.count > MAX_PRINTED)
      context.io.stderr.write(`… and ${counted(this.count - MAX_PRINTED, 'more row')}\n`);
    if (this.target !== undefined && this.withoutText > 0)
      context.io.stderr.write(
        `${counted(this.withoutText, 'row')} too long to be written to the file of --refused-to\n`,
      );
  }

  async close(): Promise<void> {
    if (this.target === undefined) return;
    this.target.end();
    await once(this.target, 'finish');
  }
}

async function exportRecords(context: Context, flags: ExportFlags, name: string): Promise<void> {
  const { out } = context.options;
  const format = flags.format ?? (/\.(ndjson|jsonl)$/i.test(out ?? '') ? 'ndjson' : 'csv');
  if (format !== 'csv' && format !== 'ndjson') throw misuse('--format expects csv or ndjson.');
  const progress = new Progress(
    context.io.stderr,
    out !== undefined && context.io.stderr.isTTY === true && !context.options.quiet,
  );
  const file = context.collection(name).export({
    format,
    filter: flags.filter === undefined ? undefined : await objectArgument(context, 'filter', flags.filter),
    sort: await sortArgument(context, flags.sort),
    fields: flags.fields === undefined ? undefined : listArgument(flags.fields),
    signal: context.signal,
    onProgress: ({ bytes }) => progress.show(undefined, `${inBytes(bytes)} received`),
  });
  await context.output.raw(file.stream() as AsyncIterable<Uint8Array>);
  progress.end();
  if (out !== undefined) context.say(`Exported ${name} to ${out}.`);
}
