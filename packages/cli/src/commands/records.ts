import { type AnyCollection, RecordNotFoundError, type Update } from '@typed-collections/client';
import type { Command } from 'commander';
import { jsonArgument, listArgument, numberArgument, objectArgument, sortArgument } from '../arguments.js';
import { examples, first, type Run } from '../command.js';
import type { Context } from '../context.js';
import { CliError, misuse } from '../exit.js';
import type { Columns, Row } from '../output/output.js';
import { counted } from '../output/progress.js';
import { printableLines } from '../output/table.js';

interface QueryOptions {
  readonly sort?: string;
  readonly fields?: string;
  readonly limit: number;
  readonly all?: boolean;
}

interface ManyOptions {
  readonly id?: string;
  readonly ifMatch?: string;
  readonly maxAffected?: number;
  readonly all?: boolean;
  readonly dryRun?: boolean;
}

/** Records returned without --limit and --all. */
const DEFAULT_LIMIT = 20;
const PAGE_SIZE = 1000;

/** Reading and writing records. */
export function addRecordCommands(program: Command, run: Run): void {
  program
    .command('query')
    .argument('<collection>', 'name or id')
    .argument('[filter]', 'JSON, @file or - for stdin', '{}')
    .description('print the records that a filter matches')
    .option('--sort <fields>', 'for example -year,title')
    .option('--fields <names>', 'for example title,year')
    .option('--limit <count>', 'print at most so many', numberArgument('limit'), DEFAULT_LIMIT)
    .option('--all', 'print all')
    .addHelpText(
      'after',
      examples(
        `tcol query books '{"year":{"$gt":1900}}' --sort -year`,
        'tcol query books --all -o csv --out books.csv',
      ),
    )
    .action(run(query));
  program
    .command('get')
    .argument('<collection>', 'name or id')
    .argument('<id>', 'id of the record')
    .description('print one record, with its _etag')
    .addHelpText(
      'after',
      examples('tcol get books 019a7c3e-5d62-7c0e-9d0a-1f2e3d4c5b6a', 'tcol get books "$ID" -o json'),
    )
    .action(run(get));
  program
    .command('count')
    .argument('<collection>', 'name or id')
    .argument('[filter]', 'JSON, @file or - for stdin', '{}')
    .description('count the records that a filter matches')
    .addHelpText('after', examples('tcol count books', `tcol count books '{"tags":"novel"}'`))
    .action(run(count));
  program
    .command('distinct')
    .argument('<collection>', 'name or id')
    .argument('<field>', 'a column or a dotted path')
    .argument('[filter]', 'JSON, @file or - for stdin', '{}')
    .description('print the values of a field')
    .addHelpText(
      'after',
      examples('tcol distinct books year', `tcol distinct books tags '{"year":{"$gt":1900}}'`),
    )
    .action(run(distinct));
  program
    .command('aggregate')
    .argument('<collection>', 'name or id')
    .argument('<aggregation>', 'JSON, @file or - for stdin')
    .description('print counts, sums, averages and extremes')
    .addHelpText(
      'after',
      examples(
        `tcol aggregate books '{"group_by":"year","steps":[{"type":"count","output_field":"books"}]}'`,
        `tcol aggregate books '{"steps":[{"type":"avg","input_field":"year","output_field":"average"}]}' -o json`,
      ),
    )
    .action(run(aggregate));
  program
    .command('ask')
    .argument('<collection>', 'name or id')
    .argument('<question...>', 'in plain language')
    .description('answer a question about the records')
    .addHelpText(
      'after',
      examples('tcol ask books how many books', 'tcol ask books "which year has the most books?" -o json'),
    )
    .action(run(ask));
  program
    .command('insert')
    .argument('<collection>', 'name or id')
    .argument('<records>', 'a JSON object or array, @file or - for stdin')
    .description('insert records, and print their ids')
    .addHelpText(
      'after',
      examples(`tcol insert books '{"title":"Emma","year":1815}'`, 'tcol insert books @books.json'),
    )
    .action(run(insert));
  program
    .command('update')
    .argument('<collection>', 'name or id')
    .argument('<filter>', 'JSON, @file or - for stdin; a record id with --id')
    .argument('<update>', 'fields to set, or update operators, as JSON or @file')
    .description('change records: shows how many, then asks')
    .option('--id', 'the filter is the id of one record')
    .option('--if-match <etag>', 'with --id: only if the record still has this tag')
    .option(
      '--max-affected <count>',
      'change nothing if more records match',
      numberArgument('max-affected', 0),
    )
    .option('--all', 'allow an empty filter, which matches all records')
    .option('--dry-run', 'only show how many records would change')
    .addHelpText(
      'after',
      examples(
        `tcol update books '{"year":1815}' '{"$set":{"lent":true}}' --yes`,
        `tcol update books '{"year":{"$lt":1900}}' '{"$inc":{"loans":1}}' --dry-run`,
      ),
    )
    .action(run(update));
  program
    .command('delete')
    .argument('<collection>', 'name or id')
    .argument('<filter>', 'JSON, @file or - for stdin; a record id with --id')
    .description('delete records: shows how many, then asks')
    .option('--id', 'the filter is the id of one record')
    .option('--if-match <etag>', 'with --id: only if the record still has this tag')
    .option(
      '--max-affected <count>',
      'delete nothing if more records match',
      numberArgument('max-affected', 0),
    )
    .option('--all', 'allow an empty filter, which matches all records')
    .option('--dry-run', 'only show how many records would be deleted')
    .addHelpText(
      'after',
      examples(`tcol delete books '{"year":{"$lt":1800}}' --dry-run`, 'tcol delete books "$ID" --id --yes'),
    )
    .action(run(remove));
}

async function query(context: Context, options: QueryOptions, name: string, filter: string): Promise<void> {
  const fields = options.fields === undefined ? undefined : listArgument(options.fields);
  const limit = options.all ? Number.POSITIVE_INFINITY : options.limit;
  const found = context.collection(name).find(await objectArgument(context, 'filter', filter), {
    sort: await sortArgument(context, options.sort),
    fields,
    pageSize: Math.min(PAGE_SIZE, limit),
  });
  const printed = await context.output.rows(first<Row>(found, limit), columnsFor(fields));
  if (context.output.format !== 'table') return;
  const shown = counted(printed, 'record');
  context.say(printed === limit ? `The first ${shown}. All of them: --all` : shown);
}

/** A table shows the data before the times of the service. */
function columnsFor(fields: readonly string[] = []): Columns {
  return { first: ['_id', ...fields], last: ['created_at', 'updated_at'] };
}

async function get(context: Context, _options: object, name: string, id: string): Promise<void> {
  try {
    await context.output.value(await context.collection(name).get(id));
  } catch (error) {
    throw error instanceof RecordNotFoundError ? new CliError(`${name} has no record ${id}.`) : error;
  }
}

async function count(context: Context, _options: object, name: string, filter: string): Promise<void> {
  const found = await context.collection(name).count(await objectArgument(context, 'filter', filter));
  await context.output.raw([`${found}\n`]);
}

async function distinct(
  context: Context,
  _options: object,
  name: string,
  field: string,
  filter: string,
): Promise<void> {
  const where = await objectArgument(context, 'filter', filter);
  const values = await context.collection(name).distinct(field, where);
  await context.output.rows(values.map(value => ({ [field]: value })));
}

async function aggregate(context: Context, _options: object, name: string, text: string): Promise<void> {
  const request = (await objectArgument(context, 'aggregation', text)) as never;
  await context.output.rows((await context.collection(name).aggregate(request)) as Row[]);
}

async function ask(
  context: Context,
  _options: object,
  name: string,
  words: readonly string[],
): Promise<void> {
  const { output } = context;
  const answer = await context.collection(name).ask(words.join(' '));
  if (output.format === 'table') await output.raw([`${printableLines(answer.answer)}\n`]);
  else await output.value(answer);
}

async function insert(context: Context, _options: object, name: string, text: string): Promise<void> {
  const records = (await jsonArgument(context, 'records', text)) as Row | Row[];
  const { ids } = await context.collection(name).insert(records);
  await context.output.rows(ids.map(_id => ({ _id })));
  context.say(`${counted(ids.length, 'record')} inserted`);
}

async function update(
  context: Context,
  options: ManyOptions,
  name: string,
  where: string,
  text: string,
): Promise<void> {
  const collection = context.collection(name);
  const change = (await objectArgument(context, 'update', text)) as Update<AnyCollection>;
  const written = await guarded(context, options, name, where, {
    verb: 'Change',
    one: async guard => (await collection.update(where, change, guard)).updated_count,
    many: async (filter, guards) => {
      const { matched_count, updated_count } = await collection.updateMany(filter, change, guards);
      return guards.dryRun ? matched_count : updated_count;
    },
  });
  await report(context, written, options.dryRun ? 'would be changed' : 'changed');
}

async function remove(context: Context, options: ManyOptions, name: string, where: string): Promise<void> {
  const collection = context.collection(name);
  const written = await guarded(context, options, name, where, {
    verb: 'Delete',
    one: async guard => (await collection.delete(where, guard)).deleted_count,
    many: async (filter, guards) => (await collection.deleteMany(filter, guards)).deleted_count,
  });
  await report(context, written, options.dryRun ? 'would be deleted' : 'deleted');
}

/** A write of one record, and of those that a filter matches. Both return how many records they change. */
interface Write {
  readonly verb: string;
  readonly one: (guard: { readonly ifMatch?: string | undefined }) => Promise<number>;
  readonly many: (
    filter: Record<string, unknown>,
    guards: {
      readonly dryRun?: boolean;
      readonly maxAffected?: number | undefined;
      readonly allowMatchAll?: boolean | undefined;
    },
  ) => Promise<number>;
}

/** Asks before a write. A write by filter runs its dry run first, and then changes at most as many records. */
async function guarded(
  context: Context,
  { id, ifMatch, all, dryRun, maxAffected }: ManyOptions,
  name: string,
  where: string,
  { verb, one, many }: Write,
): Promise<number> {
  if (id) {
    if (dryRun || all || maxAffected !== undefined)
      throw misuse('--id goes without --dry-run, --all and --max-affected.');
    await context.confirm(`${verb} the record ${where} of ${name}?`);
    return one({ ifMatch });
  }
  if (ifMatch !== undefined) throw misuse('--if-match goes with --id only.');
  const filter = await objectArgument(context, 'filter', where);
  const matched = await many(filter, { maxAffected, allowMatchAll: all, dryRun: true });
  if (dryRun || matched === 0) return matched;
  await context.confirm(`${verb} ${counted(matched, 'record')} of ${name}?`);
  return many(filter, { maxAffected: maxAffected ?? matched, allowMatchAll: all });
}

async function report({ output }: Context, count: number, what: string): Promise<void> {
  if (output.format === 'table') await output.raw([`${counted(count, 'record')} ${what}\n`]);
  else await output.value({ count, what });
}
