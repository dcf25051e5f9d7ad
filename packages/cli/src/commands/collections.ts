import { CollectionNotFoundError } from '@typed-collections/client';
import type { Schemas } from '@typed-collections/client/api';
import { type Command, Option } from 'commander';
import { listArgument, numberArgument } from '../arguments.js';
import { allPages, COLLECTION, collect, examples, PAGE_SIZE, type Run } from '../command.js';
import type { Context } from '../context.js';
import { misuse } from '../exit.js';
import { mapOptions, samplesOf, shellWord } from '../files/header.js';
import { inspect } from '../files/text-file.js';
import { counted } from '../output/progress.js';

type CollectionView = Schemas['CollectionView'];
type IndexView = Schemas['IndexView'];
type ColumnType = Schemas['ColumnView']['type'];
type Properties = CollectionView['schema'];
type Scope = 'owned' | 'shared' | 'all';

interface CreateFlags {
  readonly from?: string;
  readonly skipLines?: number;
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
  readonly historyDays?: number;
}

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

/** Collections: list, create, change, delete, restore. */
export function addCollectionCommands(program: Command, run: Run): void {
  const collections = program
    .command('collections')
    .description('list, create, change, delete and restore collections');
  collections
    .command('list', { isDefault: true })
    .description('list the collections that you may read')
    .addOption(new Option('--scope <scope>', 'whose').choices(['owned', 'shared', 'all']).default('all'))
    .addHelpText(...examples('tcol collections', 'tcol collections list --scope owned -o json'))
    .action(run(list));
  collections
    .command('show')
    .argument(...COLLECTION)
    .description('show the columns, indexes and settings of a collection')
    .addHelpText(...examples('tcol collections show books', 'tcol collections show books -o json'))
    .action(run(show));
  collections
    .command('create')
    .argument('<name>', 'its name')
    .description('create a collection, from columns or from a file')
    .option('--from <file>', 'suggest the columns from a CSV or NDJSON file')
    .option('--skip-lines <count>', 'with --from: lines before the header', numberArgument('skip-lines', 0))
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
      ...examples(
        'tcol collections create books --column title:text! --column year:integer',
        'tcol collections create books --from books.csv --yes',
      ),
    )
    .action(run(create));
  collections
    .command('change')
    .argument(...COLLECTION)
    .description('change the name, description or settings of a collection')
    .option('--name <name>', 'its new name')
    .option('--description <text>', 'what it holds')
    .option('--max-records <count>', 'its limit', numberArgument('max-records'))
    .option(
      '--history-days <days>',
      'what writes replace is kept so long; 0: not at all',
      numberArgument('history-days', 0),
    )
    .option('--ttl-days <days>', 'records expire after so many days; 0: never', numberArgument('ttl-days', 0))
    .addHelpText(
      ...examples(
        'tcol collections change books --max-records 100000',
        'tcol collections change books --description "All our books"',
      ),
    )
    .action(run(change));
  collections
    .command('delete')
    .argument(...COLLECTION)
    .description('delete a collection with all its records; tcol trash lists those that can be restored')
    .option('--permanent', 'delete it for good, also out of the trash (by its id)')
    .addHelpText(
      ...examples('tcol collections delete drafts', 'tcol collections delete drafts --permanent --yes'),
    )
    .action(run(remove));
  collections
    .command('restore')
    .argument(...COLLECTION)
    .description('restore a deleted collection with its records; keys stay revoked, webhooks paused')
    .option('--name <name>', 'its new name, if the former one is in use')
    .addHelpText(
      ...examples(
        'tcol collections restore sketches',
        'tcol collections restore sketches --name sketches-of-may',
      ),
    )
    .action(run(restore));
  program
    .command('trash')
    .description('list deleted collections that can be restored, last deleted first')
    .addHelpText(...examples('tcol trash', 'tcol trash -o json'))
    .action(run(trash));
}

async function list(context: Context, { scope }: { readonly scope: Scope }): Promise<void> {
  const items = await allCollections(context, scope);
  if (context.output.format !== 'table') return void (await context.output.rows(items));
  const rows = items.map(({ name, row_count, schema, orgSlug, status, updated_at, description }) => ({
    ...{ name, 'records (estimate)': row_count, columns: Object.keys(schema).length },
    ...{ organization: orgSlug, status, updated_at, description },
  }));
  await context.output.rows(rows);
}

/** All collections that the person may read. */
export function allCollections({ api }: Context, scope: Scope = 'all'): Promise<CollectionView[]> {
  return allPages(page =>
    api.collections.listCollections({ page, limit: PAGE_SIZE, scope, with_counts: true }),
  );
}

async function show(context: Context, _options: object, name: string): Promise<void> {
  await print(context, await context.api.collections.getCollection({ collection_id: name }));
}

/** Prints a collection; as tables on a terminal. */
async function print({ output }: Context, collection: CollectionView): Promise<void> {
  if (output.format !== 'table') return output.value(collection);
  const { schema, indexes, uniques, settings, charts: _charts, row_count: _count, ...rest } = collection;
  await output.value({ ...rest, ...settings });
  await output.rows(columnRows(schema, indexes, uniques));
}

function columnRows(schema: Properties, indexes: readonly IndexView[], uniques: readonly IndexView[]) {
  const named = (lists: readonly IndexView[], column: string) =>
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
    ...flags.unique.map(text => ({ properties: listArgument(text) })),
  ];
  if (suggested !== undefined) {
    context.show(columnRows(properties as Properties, [], uniques as IndexView[]));
    await context.confirm(`Create ${name} with these columns?`);
  }
  const settings = flags.maxRecords === undefined ? undefined : { max_records: flags.maxRecords };
  const body = { name, description: flags.description, properties, uniques, settings };
  await context.output.value(await context.api.collections.createCollection(body as never));
  if (flags.from === undefined) return;
  const maps = mapOptions(suggested?.columns ?? {});
  const skipped = flags.skipLines ? ` --skip-lines ${flags.skipLines}` : '';
  context.say(`Next: tcol import ${name} ${shellWord(flags.from)}${maps}${skipped}`);
}

/** The columns that the service suggests for the rows of a file. */
async function suggestion({ api, io }: Context, flags: CreateFlags, name: string, path: string) {
  const file = await inspect(path, io, { skipLines: flags.skipLines });
  const samples = samplesOf(file, SAMPLES);
  if (samples.length === 0) throw misuse(`${path} has no rows.`);
  const { data } = await api.ai.suggestSchema({
    description: flags.description ?? name,
    samples,
    ...(file.format === 'csv' && { samples_from: 'csv' }),
  });
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

async function change(context: Context, flags: ChangeFlags, collection_id: string): Promise<void> {
  const { name, description, maxRecords: max_records, ttlDays: ttl_days, historyDays: history_days } = flags;
  const settings = {
    ...(max_records !== undefined && { max_records }),
    ...(ttl_days !== undefined && { ttl_days }),
    ...(history_days !== undefined && { history_days }),
  };
  const body = { collection_id, name, description, ...(Object.keys(settings).length > 0 && { settings }) };
  await print(context, await context.api.collections.updateCollection(body as never));
}

async function remove(
  context: Context,
  { permanent }: { readonly permanent?: boolean },
  name: string,
): Promise<void> {
  const what = await contentOf(context, name, permanent);
  const days = permanent ? 0 : (await context.api.authentication.getFeatures()).trash_days;
  const outlook = days > 0 ? `It can be restored for ${counted(days, 'day')}.` : 'This cannot be undone.';
  await context.confirm(`Delete ${what}? ${outlook}`);
  const query = permanent ? { permanent } : {};
  const answer = await context.api.collections.deleteCollection({ collection_id: name, ...query });
  if (answer.restorable_until === undefined) return context.say(`Deleted ${name} for good.`);
  context.say(
    `Deleted ${name}. Until ${answer.restorable_until} it can be restored: tcol collections restore ${name}`,
  );
}

/** What a deletion deletes. A permanent one may also name a collection in the trash, whose records nobody can count. */
async function contentOf(context: Context, name: string, permanent?: boolean): Promise<string> {
  try {
    return `${name} with ${counted(await context.collection(name).count(), 'record')}`;
  } catch (error) {
    if (permanent && error instanceof CollectionNotFoundError) return `${name} out of the trash`;
    throw error;
  }
}

async function restore(
  context: Context,
  { name }: { readonly name?: string },
  collection_id: string,
): Promise<void> {
  await print(context, await context.api.collections.restoreCollection({ collection_id, name }));
  context.say('Its keys stay revoked, and its webhooks are paused.');
}

async function trash({ api, output }: Context): Promise<void> {
  const items = await allPages(page => api.collections.listTrash({ page, limit: PAGE_SIZE }));
  if (output.format !== 'table') return void (await output.rows(items));
  const rows = items.map(({ name, deleted_at, restorable_until, collection_id, orgSlug, description }) => ({
    ...{ name, deleted_at, restorable_until, id: collection_id, organization: orgSlug, description },
  }));
  await output.rows(rows);
}
