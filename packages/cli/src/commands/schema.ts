import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CollectionNotFoundError, TcError } from '@typed-collections/client';
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
    .addHelpText(...examples('tcol schema pull', 'tcol schema pull books --dir db/schema'))
    .action(run(pull));
  schema
    .command('diff')
    .argument('[collections...]', 'names; by default all that have a file')
    .description('show what a push would change; exit code 1 if anything')
    .option(...dir)
    .addHelpText(...examples('tcol schema diff', 'tcol schema diff books'))
    .action(run(diff));
  schema
    .command('push')
    .argument('[collections...]', 'names; by default all that have a file')
    .description('create and change collections as the files say: shows the changes, then asks')
    .option(...dir)
    .option('--dry-run', 'let the service check the changes, and make none')
    .addHelpText(...examples('tcol schema push --dry-run', 'tcol schema push books --yes'))
    .action(run(push));
}

async function pull(context: Context, { dir }: Flags, names: readonly string[]): Promise<void> {
  const { collections } = context.api;
  const found =
    names.length === 0
      ? await allCollections(context, 'owned')
      : await Promise.all(names.map(collection_id => collections.getCollection({ collection_id })));
  await mkdir(dir, { recursive: true });
  for (const collection of found) {
    const path = join(dir, fileName(collection.name));
    await writeFile(path, `${JSON.stringify(fileOf(collection), null, 2)}\n`);
    context.say(path);
  }
}

/** A name of the service cannot lead out of the directory. */
function fileName(collection: string): string {
  return `${encodeURIComponent(collection)}${SUFFIX}`;
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
  for (const { name, lines } of differences) for (const line of lines) context.tell(`${name}: ${line}`);
  const steps = differences.flatMap(each => stepsOf(context, each, files.get(each.name) as CollectionFile));
  // The service checks all changes before the first one is made.
  for (const { check } of steps) await check?.();
  if (flags.dryRun) return context.say('The service accepts these changes. None was made.');
  const changed = differences.map(({ name }) => name);
  await context.confirm(`Change ${changed.length === 1 ? changed[0] : `${changed.length} collections`}?`);
  for (const [n, { what, make }] of steps.entries()) {
    try {
      await make();
    } catch (error) {
      if (n === 0 || !(error instanceof TcError)) throw error;
      const hint = 'The changes before it were made. See what is missing: tcol schema diff';
      throw new CliError(`${what}: ${error.message}`, EXIT.partly, hint);
    }
    context.say(what);
  }
}

interface Step {
  readonly what: string;
  /** Asks the service whether it would accept the change. */
  readonly check?: () => Promise<unknown>;
  readonly make: () => Promise<unknown>;
}

/** The requests that make a collection what its file says. */
function stepsOf(context: Context, difference: Difference, file: CollectionFile): Step[] {
  const { api } = context;
  const { name, isNew, properties, indexesDiffer, detailsDiffer } = difference;
  const { description, settings, indexes, uniques } = file;
  if (isNew) {
    const body = { name, description, settings, properties, indexes, uniques };
    const make = () => api.collections.createCollection(body as never);
    return [{ what: `${name}: created`, make }];
  }
  const collection_id = name;
  const steps: Step[] = [];
  const columnsDiffer = Object.keys(properties).length > 0;
  const columns = { collection_id, properties };
  const lists = { collection_id, indexes, uniques } as never;
  const details = { collection_id, description, settings } as never;
  if (columnsDiffer)
    steps.push({
      what: `${name}: columns changed`,
      check: () => api.schema.updateSchema({ ...columns, dry_run: true }),
      make: async () => {
        const { status } = await api.schema.updateSchema(columns);
        if (status === 'building') await changed(context, name);
      },
    });
  if (indexesDiffer)
    steps.push({
      what: `${name}: indexes changed`,
      // An index on a column that does not exist yet can only be checked once the column is there.
      ...(!columnsDiffer && {
        check: () => api.schema.applyIndexes({ ...(lists as object), dry_run: true } as never),
      }),
      make: () => api.schema.applyIndexes(lists),
    });
  if (detailsDiffer)
    steps.push({
      what: `${name}: description and settings changed`,
      make: () => api.collections.updateCollection(details),
    });
  return steps;
}

const POLL_MS = 1_000;

/** Waits for the change of a large collection, which goes on after its request was answered. */
async function changed({ api }: Context, name: string): Promise<void> {
  for (;;) {
    const { status, change } = await api.collections.getCollection({ collection_id: name });
    if (change?.state === 'failed') {
      const { message } = change.error as { message?: string };
      throw new CliError(`${name}: the columns were not changed: ${message}`, EXIT.refused);
    }
    if (status === 'ready') return;
    await sleep(POLL_MS);
  }
}

async function differencesOf(
  { api }: Context,
  { dir }: Flags,
  names: readonly string[],
): Promise<Difference[]> {
  const files = [...(await filesIn(dir, names)).values()];
  return Promise.all(
    files.map(async file => {
      try {
        return compare(file, fileOf(await api.collections.getCollection({ collection_id: file.name })));
      } catch (error) {
        if (error instanceof CollectionNotFoundError) return compare(file, undefined);
        throw error;
      }
    }),
  );
}

async function filesIn(dir: string, names: readonly string[]): Promise<Map<string, CollectionFile>> {
  let present: string[];
  try {
    present = (await readdir(dir)).filter(file => file.endsWith(SUFFIX)).sort();
  } catch {
    throw misuse(`There is no directory ${dir}.`, 'Run: tcol schema pull');
  }
  const wanted = names.length === 0 ? present : names.map(fileName);
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
