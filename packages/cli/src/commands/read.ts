import { type Explanation, RecordNotFoundError } from '@typed-collections/client';
import type { Command } from 'commander';
import { groupsArgument, listArgument, numberArgument, objectArgument, sortArgument } from '../arguments.js';
import { AS_OF, COLLECTION, examples, FILTER, first, type Run } from '../command.js';
import type { Context } from '../context.js';
import { CliError } from '../exit.js';
import { explanationText } from '../output/explanation.js';
import type { Columns } from '../output/output.js';
import { counted } from '../output/progress.js';

interface ReadOptions {
  readonly asOf?: string;
}

interface QueryOptions extends ReadOptions {
  readonly sort?: string;
  readonly fields?: string;
  readonly limit: number;
  readonly all?: boolean;
}

/** Records returned without --limit and --all. */
const DEFAULT_LIMIT = 20;
const COUNT_RECORDS = '{"steps":[{"type":"count","output_field":"count"}]}';
/** Records of a request. The service accepts so many where it returns a cursor. */
const PAGE_SIZE = 1000;

/** Reading records. */
export function addReadCommands(program: Command, run: Run): void {
  program
    .command('query')
    .argument(...COLLECTION)
    .argument(...FILTER)
    .description('print the records that a filter matches')
    .option('--sort <fields>', 'for example -year,title')
    .option('--fields <names>', 'for example title,year')
    .option('--limit <count>', 'print at most so many', numberArgument('limit'), DEFAULT_LIMIT)
    .option('--all', 'print all')
    .option(...AS_OF)
    .addHelpText(
      ...examples(
        `tcol query books '{"year":{"$gt":1900}}' --sort -year`,
        'tcol query books --all -o csv --out all.csv',
      ),
    )
    .action(run(query));
  program
    .command('get')
    .argument(...COLLECTION)
    .argument('<id>', 'id of the record')
    .description('print one record, with its _etag')
    .option(...AS_OF)
    .addHelpText(...examples('tcol get books "$ID"', 'tcol get books "$ID" -o json'))
    .action(run(get));
  program
    .command('count')
    .argument(...COLLECTION)
    .argument(...FILTER)
    .description('count the records that a filter matches')
    .option(...AS_OF)
    .addHelpText(...examples('tcol count books', `tcol count books '{"tags":"novel"}'`))
    .action(run(count));
  program
    .command('distinct')
    .argument(...COLLECTION)
    .argument('<field>', 'a column or a dotted path')
    .argument(...FILTER)
    .description('print the values of a field')
    .option(...AS_OF)
    .addHelpText(...examples('tcol distinct books year', `tcol distinct books tags '{"year":{"$gt":1900}}'`))
    .action(run(distinct));
  program
    .command('aggregate')
    .argument(...COLLECTION)
    .argument('[aggregation]', 'JSON, @file or - for stdin', COUNT_RECORDS)
    .description('print counts, sums, averages, extremes and percentiles')
    .option('--by <entries>', 'group by fields, periods or ranges, for example city,printed:month,price:10')
    .option('--zone <name>', 'time zone of the periods, for example Europe/Paris')
    .option('--fill', 'with the empty groups between the first and the last')
    .option(...AS_OF)
    .addHelpText(
      ...examples(
        'tcol aggregate books --by created_at:month --zone Europe/Paris --fill',
        `tcol aggregate books '{"group_by":"year","steps":[{"type":"count","output_field":"books"}]}'`,
      ),
    )
    .action(run(aggregate));
  program
    .command('explain')
    .argument(...COLLECTION)
    .argument(...FILTER)
    .description('print how a query is executed, and which index would help')
    .option('--sort <fields>', 'for example -year,title')
    .option('--fields <names>', 'for example title,year')
    .option('--limit <count>', 'explain a page of so many records', numberArgument('limit'), DEFAULT_LIMIT)
    .option('--aggregate <aggregation>', 'explain this aggregation instead: JSON, @file or - for stdin')
    .addHelpText(
      ...examples(
        `tcol explain books '{"year":{"$gt":1900}}' --sort -year`,
        `tcol explain books --aggregate '{"group_by":"year","steps":[{"type":"count","output_field":"n"}]}'`,
      ),
    )
    .action(run(explain));
  program
    .command('advice')
    .argument(...COLLECTION)
    .description('print the indexes that recent queries lacked, and those that nothing uses')
    .addHelpText(...examples('tcol advice books', 'tcol advice books -o json'))
    .action(run(advice));
  program
    .command('ask')
    .argument(...COLLECTION)
    .argument('<question...>', 'in plain language')
    .description('answer a question about the records')
    .addHelpText(
      ...examples('tcol ask books how many books', 'tcol ask books "which year has the most books?" -o json'),
    )
    .action(run(ask));
}

async function query(context: Context, options: QueryOptions, name: string, filter: string): Promise<void> {
  const fields = options.fields === undefined ? undefined : listArgument(options.fields);
  if (options.all && context.output.format === 'csv') return queryAllAsCsv(context, options, name, filter);
  const limit = options.all ? Number.POSITIVE_INFINITY : options.limit;
  const found = context.collection(name).find(await objectArgument(context, 'filter', filter), {
    sort: await sortArgument(context, options.sort),
    fields,
    pageSize: Math.min(PAGE_SIZE, limit),
    asOf: options.asOf,
  });
  const printed = await context.output.rows(first(found, limit), columnsFor(fields));
  if (context.output.format !== 'table') return;
  const shown = counted(printed, 'record');
  context.say(printed === limit ? `The first ${shown}. All of them: --all` : shown);
}

/** The header of a CSV file needs the fields of all records. The service knows them, and sends the file piece by piece. */
async function queryAllAsCsv(
  context: Context,
  { sort, fields, asOf }: QueryOptions,
  name: string,
  filter: string,
): Promise<void> {
  const file = context.collection(name).export({
    filter: await objectArgument(context, 'filter', filter),
    sort: await sortArgument(context, sort),
    fields: fields === undefined ? undefined : listArgument(fields),
    asOf,
  });
  await context.output.raw(file.stream() as AsyncIterable<Uint8Array>);
}

/** A table shows the data before the times of the service. */
function columnsFor(fields: readonly string[] = []): Columns {
  return { first: ['_id', ...fields], last: ['created_at', 'updated_at'] };
}

async function get(context: Context, { asOf }: ReadOptions, name: string, id: string): Promise<void> {
  try {
    await context.output.value(await context.collection(name).get(id, { asOf }));
  } catch (error) {
    throw error instanceof RecordNotFoundError ? new CliError(`${name} has no record ${id}.`) : error;
  }
}

async function count(context: Context, { asOf }: ReadOptions, name: string, filter: string): Promise<void> {
  const where = await objectArgument(context, 'filter', filter);
  const found = await context.collection(name).count(where, { asOf });
  await context.output.raw([`${found}\n`]);
}

async function distinct(
  context: Context,
  { asOf }: ReadOptions,
  name: string,
  field: string,
  filter: string,
): Promise<void> {
  const where = await objectArgument(context, 'filter', filter);
  const values = await context.collection(name).distinct(field, where, { asOf });
  await context.output.rows(values.map(value => ({ [field]: value })));
}

interface AggregateOptions extends ReadOptions {
  readonly by?: string;
  readonly zone?: string;
  readonly fill?: true;
}

async function aggregate(
  context: Context,
  { by, zone, fill, asOf }: AggregateOptions,
  name: string,
  text: string,
): Promise<void> {
  const request = {
    ...(await objectArgument(context, 'aggregation', text)),
    ...(by !== undefined && { group_by: groupsArgument(by, zone) }),
    ...(fill && { fill }),
  } as never;
  await context.output.rows(await context.collection(name).aggregate(request, { asOf }));
}

interface ExplainOptions extends Pick<QueryOptions, 'sort' | 'fields' | 'limit'> {
  readonly aggregate?: string;
}

async function explain(
  context: Context,
  options: ExplainOptions,
  name: string,
  filter: string,
): Promise<void> {
  const found = await explanationOf(context, options, name, filter);
  if (context.output.format === 'table') await context.output.raw([explanationText(found)]);
  else await context.output.value(found);
}

async function explanationOf(
  context: Context,
  { sort, fields, limit, aggregate }: ExplainOptions,
  name: string,
  filter: string,
): Promise<Explanation> {
  const collection = context.collection(name);
  const where = await objectArgument(context, 'filter', filter);
  if (aggregate !== undefined) {
    const request = await objectArgument(context, 'aggregation', aggregate);
    return collection.explainAggregate({
      ...(filter !== FILTER[2] && { filter: where }),
      ...request,
    } as never);
  }
  const query = collection.find(where, {
    sort: await sortArgument(context, sort),
    fields: fields === undefined ? undefined : listArgument(fields),
  });
  // What `query` sends first.
  return query.explain({ cursor: '', limit });
}

async function advice({ api, output }: Context, _options: object, collection_id: string): Promise<void> {
  const { items } = await api.analytics.listAdvice({ collection_id });
  if (output.format !== 'table') return void (await output.rows(items));
  await output.rows(
    items.map(({ index, reason, queries_seen, avg_ms }) => ({ reason, index, queries_seen, avg_ms })),
  );
}

async function ask(
  context: Context,
  _options: object,
  name: string,
  words: readonly string[],
): Promise<void> {
  const { output } = context;
  const answer = await context.collection(name).ask(words.join(' '));
  if (output.format === 'table') await output.raw([`${answer.answer}\n`]);
  else await output.value(answer);
}
