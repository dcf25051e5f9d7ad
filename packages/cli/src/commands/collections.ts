import type { Schemas } from '@typed-collections/client/api';
import type { Command } from 'commander';
import { numberArgument } from '../arguments.js';
import { examples, type Run } from '../command.js';
import type { Context } from '../context.js';
import { misuse } from '../exit.js';
import { samplesOf } from '../files/header.js';
import { inspect } from '../files/text-file.js';
import { tableOf } from '../output/table.js';

interface CreateFlags {
  readonly from?: string;
  readonly column: readonly string[];
  readonly unique: readonly string[];
  readonly description?: string;
  readonly maxRecords?: number;
}

interface ChangeFlags {
  readonly name?: string;
  readonly description?: string;
  readonly maxRecords?: number;
  readonly ttlDays?: number;
}

type ColumnType = Schemas['ColumnView']['type'];
type Properties = Record<string, Schemas['ColumnView']>;

/** Rows of a file that the schema is suggested from. */
const SAMPLES = 1000;
const TYPES: readonly ColumnType[] = [
  'text',
  'integer',
  'double',
  'boolean',
  'date',
  'datetime',
  'json',
  'array',
];

/** Collections: list, create, change, delete. */
export function addCollectionCommands(program: Command, run: Run): void {
  const collections = program
    .command('collections')
    .description('list, create, change and delete collections');
  collections
    .command('list', { isDefault: true })
    .description('list the collections that you may read')
    .option('--scope <scope>', 'owned, shared or all', 'all')
    .addHelpText('after', examples('tcol collections', 'tcol collections list --scope owned -o json'))
    .action(run(list));
  collections
    .command('show')
    .argument('<collection>', 'name or id')
    .description('show the columns, indexes and settings of a collection')
    .addHelpText('after', examples('tcol collections show books', 'tcol collections show books -o json'))
    .action(run(show));
  collections
    .command('create')
    .argument('<name>', 'its name')
    .description('create a collection, from columns or from a file')
    .option('--from <file>', 'suggest the columns from a CSV or NDJSON file')
    .option(
      '--column <name:type>',
      'a column, for example title:text; title:text! may not be null',
      collect,
      [],
    )
    .option('--unique <columns>', 'a unique constraint, for example isbn or author,title', collect, [])
    .option('--description <text>', 'what it holds')
    .option('--max-records <count>', 'its limit', numberArgument('max-records'))
    .addHelpText(
      'after',
      examples(
        'tcol collections create books --column title:text! --column year:integer',
        'tcol collections create books --from books.csv --yes',
      ),
    )
    .action(run(create));
  collections
    .command('change')
    .argument('<collection>', 'name or id')
    .description('change the name, description or settings of a collection')
    .option('--name <name>', 'its new name')
    .option('--description <text>', 'what it holds')
    .option('--max-records <count>', 'its limit', numberArgument('max-records'))
    .option('--ttl-days <days>', 'records expire after so many days; 0: never', numberArgument('ttl-days', 0))
    .addHelpText(
      'after',
      examples(
        'tcol collections change books --max-records 100000',
        'tcol collections change books --description "All our books"',
      ),
    )
    .action(run(change));
  collections
    .command('delete')
    .argument('<collection>', 'name or id')
    .description('delete a collection with all its records')
    .addHelpText('after', examples('tcol collections delete drafts', 'tcol collections delete drafts --yes'))
    .action(run(remove));
}

const collect = (text: string, before: readonly string[]): string[] => [...before, text];

async function list(context: Context, { scope }: { readonly scope: string }): Promise<void> {
  if (scope !== 'owned' && scope !== 'shared' && scope !== 'all')
    throw misuse('--scope expects owned, shared or all.');
  const items = await allCollections(context, scope);
  if (context.output.format !== 'table') return void (await context.output.rows(items as never));
  const rows = items.map(({ name, row_count, schema, orgSlug, status, updated_at, description }) => ({
    ...{ name, records: row_count, columns: Object.keys(schema).length, organization: orgSlug },
    ...{ status, updated_at, description },
  }));
  await context.output.rows(rows);
}

/** All collections, page after page. */
export async function allCollections(
  context: Context,
  scope: 'owned' | 'shared' | 'all' = 'all',
): Promise<Schemas['CollectionView'][]> {
  const all: Schemas['CollectionView'][] = [];
  for (let page = 1; ; page++) {
    const { items, total } = await context.api.collections.listCollections({
      page,
      limit: 100,
      scope,
      with_counts: true,
    });
    all.push(...items);
    if (items.length === 0 || all.length >= total) return all;
  }
}

async function show(context: Context, _options: object, name: string): Promise<void> {
  const found = await context.api.collections.getCollection({ collection_id: name });
  if (context.output.format !== 'table') return context.output.value(found);
  const { schema, indexes, uniques, settings, charts: _charts, ...rest } = found;
  await context.output.value({ ...rest, ...settings });
  await context.output.rows(columnRows(schema, indexes, uniques));
}

function columnRows(
  schema: Properties,
  indexes: readonly Schemas['IndexView'][] = [],
  uniques: readonly Schemas['IndexView'][] = [],
) {
  const named = (lists: readonly Schemas['IndexView'][], column: string) =>
    lists
      .filter(({ properties }) => properties.includes(column))
      .map(({ properties }) => properties.join(', '))
      .join('; ');
  return Object.entries(schema).map(([column, { type, nullable }]) => ({
    ...{ column, type, nullable, index: named(indexes, column), unique: named(uniques, column) },
  }));
}

async function create(context: Context, flags: CreateFlags, name: string): Promise<void> {
  const suggested = flags.from === undefined ? undefined : await suggestion(context, flags, name, flags.from);
  const properties = { ...suggested?.properties, ...Object.fromEntries(flags.column.map(columnOf)) };
  const uniques = [
    ...(suggested?.uniques ?? []),
    ...flags.unique.map(text => ({ properties: text.split(',') })),
  ];
  if (suggested !== undefined) {
    const { io } = context;
    io.stderr.write(
      `${tableOf(columnRows(properties, [], uniques), ['column', 'type', 'nullable', 'unique'], { color: false, width: 100 })}\n`,
    );
    await context.confirm(`Create ${name} with these columns?`);
  }
  const settings = flags.maxRecords === undefined ? undefined : { max_records: flags.maxRecords };
  const body = { name, description: flags.description, properties, uniques, settings };
  const created = await context.api.collections.createCollection(body as never);
  await context.output.value(created);
  if (flags.from !== undefined) context.say(`Next: tcol import ${name} ${flags.from}`);
}

async function suggestion(context: Context, flags: CreateFlags, name: string, path: string) {
  const file = await inspect(path, {});
  const samples = samplesOf(file, SAMPLES);
  if (samples.length === 0) throw misuse(`${path} has no rows.`);
  const body = {
    description: flags.description ?? name,
    samples,
    ...(file.format === 'csv' && { samples_from: 'csv' as const }),
  };
  const { data } = await context.api.ai.suggestSchema(body);
  return data;
}

/** `title:text`, or `title:text!` for a column that may not be null. */
function columnOf(text: string): [string, { readonly type: ColumnType; readonly nullable: boolean }] {
  const [, name = '', type = '', required] = /^(.+):(\w+)(!?)$/.exec(text) ?? [];
  const known = TYPES.find(each => each === type);
  if (known === undefined)
    throw misuse(`--column: "${text}" is not name:type.`, `Types: ${TYPES.join(', ')}.`);
  return [name, { type: known, nullable: required !== '!' }];
}

async function change(context: Context, flags: ChangeFlags, collection: string): Promise<void> {
  const { settings } = await context.api.collections.getCollection({ collection_id: collection });
  const {
    name,
    description,
    maxRecords: max_records = settings.max_records,
    ttlDays: ttl_days = settings.ttl_days,
  } = flags;
  const changed = await context.api.collections.updateCollection({
    collection_id: collection,
    name,
    description,
    settings: { max_records, ttl_days },
  } as never);
  await context.output.value(changed);
}

async function remove(context: Context, _options: object, name: string): Promise<void> {
  const count = await context.collection(name).count();
  await context.confirm(`Delete ${name} with ${count} records? This cannot be undone.`);
  await context.api.collections.deleteCollection({ collection_id: name });
  context.say(`Deleted ${name}.`);
}
