import { type Collection, RecordNotFoundError } from '@typed-collections/client';
import type { Command } from 'commander';
import { jsonArgument, listArgument, numberArgument, objectArgument, sortArgument } from '../arguments.js';
import { examples, type Run } from '../command.js';
import type { Context } from '../context.js';
import { CliError, misuse } from '../exit.js';
import type { Columns, Row } from '../output/output.js';

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
        `tcol aggregate books '{"group_by":["year"],"steps":[{"type":"count","output_field":"books"}]}'`,
        `tcol aggregate books '{"steps":[{"type":"avg","field":"year","output_field":"average"}]}' -o json`,
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

async function collectionOf(context: Context, name: string): Promise<Collection<never>> {
  return (await context.client()).collection(name) as unknown as Collection<never>;
}

async function query(context: Context, options: QueryOptions, name: string, filter: string): Promise<void> {
  const { signal } = context;
  const fields = options.fields === undefined ? undefined : listArgument(options.fields);
  const limit = options.all ? Number.POSITIVE_INFINITY : options.limit;
  const collection = await collectionOf(context, name);
  const found = collection.find((await objectArgument(context, 'filter', filter)) as never, {
    ...{ fields: fields as never, sort: (await sortArgument(context, options.sort)) as never, signal },
    pageSize: Math.min(PAGE_SIZE, limit),
  });
  const printed = await context.output.rows(first(found as AsyncIterable<Row>, limit), columnsFor(fields));
  if (context.output.format !== 'table') return;
  context.say(printed === limit ? `The first ${records(printed)}. All of them: --all` : records(printed));
}

async function* first<T>(items: AsyncIterable<T>, limit: number): AsyncGenerator<T> {
  let left = limit;
  for await (const item of items) {
    yield item;
    if (--left === 0) return;
  }
}

/** A table shows the data before the times of the service. */
function columnsFor(fields: readonly string[] | undefined): Columns {
  return { first: ['_id', ...(fields ?? [])], last: ['created_at', 'updated_at'] };
}

async function get(context: Context, _options: object, name: string, id: string): Promise<void> {
  const collection = await collectionOf(context, name);
  try {
    await context.output.value(await collection.get(id, { signal: context.signal }));
  } catch (error) {
    throw error instanceof RecordNotFoundError ? new CliError(`${name} has no record ${id}.`) : error;
  }
}

async function count(context: Context, _options: object, name: string, filter: string): Promise<void> {
  const { signal } = context;
  const collection = await collectionOf(context, name);
  const found = await collection.count((await objectArgument(context, 'filter', filter)) as never, {
    signal,
  });
  await context.output.raw([`${found}\n`]);
}

async function distinct(
  context: Context,
  _options: object,
  name: string,
  field: string,
  filter: string,
): Promise<void> {
  const { signal } = context;
  const collection = await collectionOf(context, name);
  const where = (await objectArgument(context, 'filter', filter)) as never;
  const values = await collection.distinct(field as never, where, { signal });
  await context.output.rows(values.map(value => ({ [field]: value })));
}

async function aggregate(context: Context, _options: object, name: string, text: string): Promise<void> {
  const { signal } = context;
  const collection = await collectionOf(context, name);
  const request = (await objectArgument(context, 'aggregation', text)) as never;
  await context.output.rows((await collection.aggregate(request, { signal })) as Row[]);
}

async function ask(
  context: Context,
  _options: object,
  name: string,
  words: readonly string[],
): Promise<void> {
  const { signal, output } = context;
  const collection = await collectionOf(context, name);
  const answer = await collection.ask(words.join(' '), { signal });
  if (output.format === 'table') await output.raw([`${answer.answer}\n`]);
  else await output.value(answer);
}

async function insert(context: Context, _options: object, name: string, text: string): Promise<void> {
  const records = await jsonArgument(context, 'records', text);
  const collection = await collectionOf(context, name);
  const { ids } = await collection.insert(records as never, { signal: context.signal });
  await context.output.rows(ids.map(_id => ({ _id })));
  context.say(`${ids.length} inserted`);
}

async function update(
  context: Context,
  options: ManyOptions,
  name: string,
  where: string,
  text: string,
): Promise<void> {
  const { signal } = context;
  const collection = await collectionOf(context, name);
  const change = (await objectArgument(context, 'update', text)) as never;
  if (options.id) {
    checkOne(options);
    await context.confirm(`Change the record ${where} of ${name}?`);
    const done = await collection.update(where, change, { ifMatch: options.ifMatch, signal });
    return report(context, done.updated_count, 'changed');
  }
  const filter = (await objectArgument(context, 'filter', where)) as never;
  const many = { maxAffected: options.maxAffected, allowMatchAll: options.all, signal };
  const { matched_count } = await collection.updateMany(filter, change, { ...many, dryRun: true });
  if (options.dryRun || matched_count === 0) return report(context, matched_count, 'would change');
  await context.confirm(`Change ${records(matched_count)} of ${name}?`);
  const done = await collection.updateMany(filter, change, {
    ...many,
    maxAffected: options.maxAffected ?? matched_count,
  });
  await report(context, done.updated_count, 'changed');
}

async function remove(context: Context, options: ManyOptions, name: string, where: string): Promise<void> {
  const { signal } = context;
  const collection = await collectionOf(context, name);
  if (options.id) {
    checkOne(options);
    await context.confirm(`Delete the record ${where} of ${name}?`);
    const done = await collection.delete(where, { ifMatch: options.ifMatch, signal });
    return report(context, done.deleted_count, 'deleted');
  }
  const filter = (await objectArgument(context, 'filter', where)) as never;
  const many = { maxAffected: options.maxAffected, allowMatchAll: options.all, signal };
  const { deleted_count } = await collection.deleteMany(filter, { ...many, dryRun: true });
  if (options.dryRun || deleted_count === 0) return report(context, deleted_count, 'would be deleted');
  await context.confirm(`Delete ${records(deleted_count)} of ${name}?`);
  const done = await collection.deleteMany(filter, {
    ...many,
    maxAffected: options.maxAffected ?? deleted_count,
  });
  await report(context, done.deleted_count, 'deleted');
}

/** A single record has no dry run. */
function checkOne({ dryRun, maxAffected, all }: ManyOptions): void {
  if (dryRun || all || maxAffected !== undefined)
    throw misuse('--id goes without --dry-run, --all and --max-affected.');
}

async function report({ output }: Context, count: number, what: string): Promise<void> {
  if (output.format === 'table') await output.raw([`${records(count)} ${what}\n`]);
  else await output.value({ count, what });
}

function records(count: number): string {
  return `${count} ${count === 1 ? 'record' : 'records'}`;
}
