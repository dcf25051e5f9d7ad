import {
  CollectionFullError,
  headerColumns,
  type ImportOptions,
  type ImportProblem,
  type ImportProgress,
  type ImportSummary,
  newIdempotencyKey,
  PartialWriteError,
  TcError,
} from '@typed-collections/client';
import { type Command, Option } from 'commander';
import { numberArgument } from '../arguments.js';
import { COLLECTION, examples, type Run } from '../command.js';
import type { Context } from '../context.js';
import { CliError, EXIT, type ExitCode, misuse } from '../exit.js';
import { headerOf } from '../files/header.js';
import { RefusedRows } from '../files/refused-rows.js';
import { type FileFormat, inspect, isKnown, type TextFile } from '../files/text-file.js';
import { counted, inBytes, Progress } from '../output/progress.js';

type Mapping = Readonly<Record<string, string | null>>;
type Slices = Pick<ImportOptions, 'startAt'> & Required<Pick<ImportOptions, 'sliceBytes' | 'idempotencyKey'>>;

const MEGABYTE = 1_000_000;

interface Flags {
  readonly format?: FileFormat;
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly decimal?: '.' | ',';
  readonly dates?: 'ymd' | 'dmy' | 'mdy';
  readonly zone?: string;
  readonly upsertBy?: string;
  readonly onError: 'abort' | 'skip';
  readonly map: Mapping;
  readonly allowUnknown?: boolean;
  readonly skipLines?: number;
  readonly refusedTo?: string;
  readonly maxRecords?: number;
  readonly dryRun?: boolean;
  readonly slice?: number;
  readonly startAt?: number;
  readonly key?: string;
}

/** Files into a collection. */
export function addImportCommand(program: Command, run: Run): void {
  program
    .command('import')
    .argument(...COLLECTION)
    .argument('<file>', 'CSV, TSV, NDJSON or a JSON array, also compressed with gzip; - for stdin')
    .description('import a file: all of it, or with --on-error skip the rows that fit')
    .addOption(
      new Option('--format <format>', 'if the file does not tell').choices(['csv', 'ndjson', 'json']),
    )
    .option('--encoding <name>', 'if it is not recognized, for example windows-1250', encoding)
    .option('--delimiter <sign>', 'between fields, if the header does not show it; tab for tabs', delimiter)
    .addOption(new Option('--decimal <sign>', 'before the decimals of numbers').choices(['.', ',']))
    .addOption(new Option('--dates <order>', 'of day, month and year').choices(['ymd', 'dmy', 'mdy']))
    .option('--zone <name>', 'of times without an offset, for example Europe/Paris')
    .option('--upsert-by <column>', 'update the records that have the same value there')
    .addOption(
      new Option('--on-error <what>', 'import all rows or none, or leave out rows that do not fit')
        .choices(['abort', 'skip'])
        .default('abort'),
    )
    .option('--map <header=column>', 'another column for a header; header= leaves it out', mapping, {})
    .option('--allow-unknown', 'with --map: also into fields that are not columns')
    .option(
      '--skip-lines <count>',
      'lines before the header, for example a title',
      numberArgument('skip-lines', 0),
    )
    .option('--refused-to <file>', 'write the refused rows there, to correct and import them again')
    .option('--max-records <count>', 'raise the limit of the collection first', numberArgument('max-records'))
    .option('--dry-run', 'only check the file')
    .option(
      '--slice <megabytes>',
      'import in parts of this size, to go on after a failure',
      numberArgument('slice'),
    )
    .option('--start-at <byte>', 'with --slice: where to go on', numberArgument('start-at', 0))
    .option(
      '--key <key>',
      'with --slice: the key of the import that failed, so that nothing is imported twice',
    )
    .addHelpText(
      ...examples(
        'tcol import books books.csv --dry-run',
        'tcol import books books.csv --on-error skip --refused-to refused.csv',
      ),
    )
    .action(run(importFile));
}

function encoding(name: string): string {
  if (isKnown(name)) return name;
  throw misuse(`--encoding: "${name}" is not known.`, 'Examples: windows-1252, iso-8859-2, shift_jis.');
}

function delimiter(text: string): string {
  return /^(tab|\\t)$/i.test(text) ? '\t' : text;
}

function mapping(text: string, before: Mapping): Mapping {
  const at = text.lastIndexOf('=');
  if (at < 0) throw misuse(`--map: "${text}" is not header=column.`);
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) || null };
}

async function importFile(context: Context, flags: Flags, name: string, path: string): Promise<ExitCode> {
  const file = await inspect(path, context.io, flags);
  if (file.encoding !== flags.encoding)
    context.say(`${path} is read as ${file.encoding}. If that is wrong, pass --encoding.`);
  const slices = slicesOf(flags, file);
  const columns = await columnsFor(context, name, file, flags.map);
  if (flags.maxRecords !== undefined && !flags.dryRun) await raiseLimit(context, name, flags.maxRecords);
  const refused = await RefusedRows.to(flags.refusedTo, file);
  const progress = new Progress(context.io.stderr, context.showsProgress);
  const options: ImportOptions = {
    ...{ format: file.format, upsertKey: flags.upsertBy, onError: flags.onError, dryRun: flags.dryRun },
    encoding: file.isGzip ? 'gzip' : undefined,
    textEncoding: file.encoding,
    ...{ delimiter: flags.delimiter, decimal: flags.decimal, dates: flags.dates, zone: flags.zone },
    columns: Object.keys(columns).length === 0 ? undefined : columns,
    allowUnknown: flags.allowUnknown,
    skipLines: flags.skipLines,
    onRefused: flags.refusedTo === undefined ? undefined : row => refused.add(row),
    onProgress: at => progress.show(shareOf(at), textOf(at)),
    signal: context.signal,
    ...slices,
  };
  try {
    const summary = await context.collection(name).import(await file.source(), options);
    progress.end();
    await refused.close();
    return await report(context, summary, refused);
  } catch (error) {
    progress.end();
    await refused.close();
    throw explained(error, context, name, refused, slices && goOn(flags, slices, error));
  }
}

/** How a file is cut. Only a file that is sent as it is can be read again from the middle. */
function slicesOf({ slice, startAt, key, skipLines }: Flags, file: TextFile): Slices | undefined {
  if (slice === undefined) {
    if (startAt !== undefined || key !== undefined)
      throw misuse('--start-at and --key go with --slice only.');
    return undefined;
  }
  if (skipLines) throw misuse('--slice: expects a file that begins with its header.');
  if (file.name === '-' || file.isGzip || file.encoding !== undefined || file.format === 'json')
    throw misuse('--slice: expects a file in UTF-8 that is not compressed, and not a JSON array.');
  return { sliceBytes: slice * MEGABYTE, startAt, idempotencyKey: key ?? newIdempotencyKey() };
}

/** The options that go on after a failure. After Ctrl-C all parts are sent again; those that are imported are left out. */
function goOn({ slice }: Flags, { startAt, idempotencyKey }: Slices, error: unknown): string {
  const from = error instanceof PartialWriteError ? error.resumeAt : startAt;
  const position = from === undefined ? '' : ` --start-at ${from}`;
  return `Go on with the same file and: --slice ${slice}${position} --key ${idempotencyKey}`;
}

/** Where each header goes. Headers that name a column but for case, accents and punctuation are proposed to the person. */
async function columnsFor(context: Context, name: string, file: TextFile, wanted: Mapping): Promise<Mapping> {
  if (file.format !== 'csv') return {};
  const header = headerOf(file);
  const unknown = Object.keys(wanted).filter(each => !header.includes(each));
  if (unknown.length > 0)
    throw misuse(
      `--map: ${file.name} has no header "${unknown.join('", "')}".`,
      `It has: ${header.join(', ')}.`,
    );
  const { schema } = await context.api.collections.getCollection({ collection_id: name });
  const taken = Object.values(wanted);
  const proposed = headerColumns(
    header.filter(each => !Object.hasOwn(wanted, each)),
    Object.keys(schema).filter(column => !taken.includes(column)),
  );
  const found = Object.entries(proposed);
  if (found.length === 0) return wanted;
  context.tell(`These headers are not columns of ${name}, but look like them:`);
  for (const [from, to] of found) context.tell(`  ${from} → ${to}`);
  if (!context.options.yes && !context.isInteractive) {
    context.tell(
      'They are imported as fields of their own. Pass --yes to import them into the columns, or use --map.',
    );
    return wanted;
  }
  await context.confirm('Import them into these columns?');
  return { ...proposed, ...wanted };
}

async function raiseLimit(context: Context, collection_id: string, max_records: number): Promise<void> {
  const { collections } = context.api;
  const { settings } = await collections.getCollection({ collection_id });
  if (settings.max_records >= max_records) return;
  const [before, after] = [settings.max_records.toLocaleString('en-US'), counted(max_records, 'record')];
  await context.confirm(`Raise the limit of ${collection_id} from ${before} to ${after}?`);
  await collections.updateCollection({ collection_id, settings: { ...settings, max_records } });
}

/** The share of the bytes that are sent. The service may read rows meanwhile. */
function shareOf({ bytes, totalBytes }: ImportProgress): number | undefined {
  return totalBytes !== undefined && bytes < totalBytes ? bytes / totalBytes : undefined;
}

function textOf(at: ImportProgress): string {
  const { phase, bytes, totalBytes, rows } = at;
  if (phase !== 'sending' && shareOf(at) === undefined) return `${phase}: ${counted(rows, 'row')}`;
  const all = totalBytes === undefined ? '' : ` of ${inBytes(totalBytes)}`;
  return `${inBytes(bytes)}${all}, ${counted(rows, 'row')} read`;
}

async function report(
  { output, tell }: Context,
  { errors, ...counts }: ImportSummary,
  refused: RefusedRows,
): Promise<ExitCode> {
  const { inserted, updated, skipped, dry_run } = counts;
  refused.addAll(errors);
  for (const line of refused.lines(skipped)) tell(line);
  for (const line of remarks(counts)) tell(line);
  if (output.format === 'table') {
    const would = dry_run ? 'would be ' : '';
    const parts = [
      `${counted(inserted, 'record')} ${would}inserted`,
      updated > 0 && `${updated.toLocaleString('en-US')} ${would}updated`,
      skipped > 0 && `${counted(skipped, 'row')} ${would}left out`,
    ];
    await output.raw([`${parts.filter(Boolean).join(', ')}\n`]);
  } else {
    await output.value(counts);
  }
  return skipped > 0 ? EXIT.partly : EXIT.done;
}

/** What happened to fields of the file, a line each. */
function remarks({ ignored, as_text, rounded }: Omit<ImportSummary, 'errors'>): string[] {
  return [
    ignored && `Not imported, because the service sets these fields itself: ${ignored.join(', ')}.`,
    as_text && `Stored as texts, because the collection has no columns for them: ${as_text.join(', ')}.`,
    rounded && `Whole numbers of more than 15 digits lost digits, send them as texts: ${rounded.join(', ')}.`,
  ].filter(line => line !== undefined);
}

/** The failure as a person should read it. `goOn`: the options that go on after it, for an import in parts. */
function explained(
  error: unknown,
  context: Context,
  name: string,
  refused: RefusedRows,
  goOn: string | undefined,
): unknown {
  if (context.signal.aborted) {
    const message = 'Interrupted: the import was not finished.';
    return new CliError(message, EXIT.interrupted, goOn ?? `See what is there: tcol count ${name}`);
  }
  const isPartly = error instanceof PartialWriteError && error.done > 0;
  if (!isPartly && error instanceof CollectionFullError) {
    const hint = 'Nothing was imported. Pass --max-records to raise the limit.';
    return new CliError(error.message, EXIT.refused, hint);
  }
  if (!(error instanceof TcError)) return error;
  const hasRows = Array.isArray(error.details) && error.details[0]?.row !== undefined;
  if (hasRows) {
    refused.addAll(error.details as ImportProblem[]);
    for (const line of refused.lines()) context.tell(line);
  }
  if (isPartly) return new CliError(`${error.message} (${error.code})`, EXIT.partly, goOn);
  if (!hasRows) return goOn === undefined ? error : new CliError(error.message, EXIT.refused, goOn);
  const hint = 'Correct these rows, or pass --on-error skip to leave them out.';
  return new CliError('Nothing was imported.', EXIT.refused, hint);
}
