import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { examples, type Run } from '../command.js';
import type { Context } from '../context.js';
import { CliError, EXIT, type ExitCode, misuse } from '../exit.js';
import { type CollectionFile, compare, type Difference, fileOf, needsChange } from '../schema/compare.js';
import { allCollections } from './collections.js';

interface Flags {
  readonly dir: string;
  readonly dryRun?: boolean;
}

const SUFFIX = '.json';

/** Schemas as files under version control. */
export function addSchemaCommands(program: Command, run: Run): void {
  const schema = program.command('schema').description('keep the schemas of collections in files');
  const dir = ['--dir <directory>', 'where the files are, one for each collection', 'schema'] as const;
  schema
    .command('pull')
    .argument('[collections...]', 'names; by default all that you own')
    .description('write the schemas of collections to files')
    .option(...dir)
    .addHelpText('after', examples('tcol schema pull', 'tcol schema pull books --dir db/schema'))
    .action(run(pull));
  schema
    .command('diff')
    .argument('[collections...]', 'names; by default all that have a file')
    .description('show what a push would change; exit code 1 if anything')
    .option(...dir)
    .addHelpText('after', examples('tcol schema diff', 'tcol schema diff books'))
    .action(run(diff));
  schema
    .command('push')
    .argument('[collections...]', 'names; by default all that have a file')
    .description('create and change collections as the files say: shows the changes, then asks')
    .option(...dir)
    .option('--dry-run', 'let the service check the changes, and make none')
    .addHelpText('after', examples('tcol schema push --dry-run', 'tcol schema push books --yes'))
    .action(run(push));
}

async function pull(context: Context, { dir }: Flags, names: readonly string[]): Promise<void> {
  const found =
    names.length === 0
      ? await allCollections(context, 'owned')
      : await Promise.all(
          names.map(collection_id => context.api.collections.getCollection({ collection_id })),
        );
  await mkdir(dir, { recursive: true });
  for (const collection of found) {
    const path = join(dir, `${collection.name}${SUFFIX}`);
    await writeFile(path, `${JSON.stringify(fileOf(collection), null, 2)}\n`);
    context.say(path);
  }
}

async function diff(context: Context, flags: Flags, names: readonly string[]): Promise<ExitCode> {
  const differences = await differencesOf(context, flags, names);
  await context.output.raw(differences.flatMap(({ name, lines }) => lines.map(line => `${name}: ${line}\n`)));
  return differences.some(needsChange) ? EXIT.refused : EXIT.done;
}

async function push(context: Context, flags: Flags, names: readonly string[]): Promise<void> {
  const files = await filesIn(flags.dir, names);
  const differences = (await differencesOf(context, flags, names)).filter(needsChange);
  if (differences.length === 0) return context.say('Nothing to change.');
  for (const { name, lines } of differences) {
    for (const line of lines) context.io.stderr.write(`${name}: ${line}\n`);
  }
  const changes = differences.map(difference => ({
    difference,
    file: files.get(difference.name) as CollectionFile,
  }));
  // The service checks all changes before the first one is made.
  for (const { difference, file } of changes) await apply(context, difference, file, true);
  if (flags.dryRun) return context.say('The service accepts these changes. None was made.');
  await context.confirm(
    `Change ${differences.length === 1 ? differences[0]?.name : `${differences.length} collections`}?`,
  );
  for (const { difference, file } of changes) {
    await apply(context, difference, file, false);
    context.say(`${difference.name}: ${difference.isNew ? 'created' : 'changed'}`);
  }
}

async function apply(
  context: Context,
  { name, isNew, properties, indexesDiffer, detailsDiffer }: Difference,
  { description, settings, indexes, uniques }: CollectionFile,
  dry_run: boolean,
): Promise<void> {
  const collection_id = name;
  if (isNew) {
    if (dry_run) return;
    const body = { name, description, settings, properties, indexes, uniques };
    await context.api.collections.createCollection(body as never);
    return;
  }
  if (Object.keys(properties).length > 0)
    await context.api.schema.updateSchema({ collection_id, properties, dry_run });
  if (indexesDiffer) {
    // An index on a column that does not exist yet can only be checked once the column is there.
    if (dry_run && Object.keys(properties).length > 0) return;
    await context.api.schema.applyIndexes({ collection_id, indexes, uniques, dry_run } as never);
  }
  if (detailsDiffer && !dry_run)
    await context.api.collections.updateCollection({ collection_id, description, settings } as never);
}

async function differencesOf(
  context: Context,
  { dir }: Flags,
  names: readonly string[],
): Promise<Difference[]> {
  const files = await filesIn(dir, names);
  const live = new Map((await allCollections(context)).map(each => [each.name, fileOf(each)]));
  return [...files.values()].map(file => compare(file, live.get(file.name)));
}

async function filesIn(dir: string, names: readonly string[]): Promise<Map<string, CollectionFile>> {
  let present: string[];
  try {
    present = (await readdir(dir)).filter(file => file.endsWith(SUFFIX)).sort();
  } catch {
    throw misuse(`There is no directory ${dir}.`, 'Run: tcol schema pull');
  }
  const wanted = names.length === 0 ? present : names.map(name => `${name}${SUFFIX}`);
  const files = new Map<string, CollectionFile>();
  for (const file of wanted) {
    if (!present.includes(file)) throw misuse(`There is no file ${join(dir, file)}.`);
    const content = parsed(join(dir, file), await readFile(join(dir, file), 'utf8'));
    files.set(content.name, content);
  }
  return files;
}

function parsed(path: string, text: string): CollectionFile {
  try {
    const {
      name,
      description = null,
      settings,
      properties = {},
      indexes = [],
      uniques = [],
    } = JSON.parse(text);
    if (typeof name !== 'string') throw new Error('name: expects the name of the collection');
    return { name, description, settings: settings ?? {}, properties, indexes, uniques };
  } catch (error) {
    throw new CliError(`${path}: ${(error as Error).message}`, EXIT.misuse);
  }
}
