import type { AnyCollection, Update } from '@typed-collections/client';
import type { Command } from 'commander';
import { numberArgument, objectArgument } from '../arguments.js';
import { COLLECTION, examples, type Run } from '../command.js';
import type { Context } from '../context.js';
import { misuse } from '../exit.js';
import { counted } from '../output/progress.js';

interface ManyOptions {
  readonly id?: string;
  readonly ifMatch?: string;
  readonly maxAffected?: number;
  readonly all?: boolean;
  readonly dryRun?: boolean;
}

/** Changing and deleting records. */
export function addWriteCommands(program: Command, run: Run): void {
  program
    .command('update')
    .argument(...COLLECTION)
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
      ...examples(
        `tcol update books '{"year":1815}' '{"$set":{"lent":true}}' --yes`,
        `tcol update books '{"year":{"$lt":1900}}' '{"$inc":{"loans":1}}' --dry-run`,
      ),
    )
    .action(run(update));
  program
    .command('delete')
    .argument(...COLLECTION)
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
      ...examples(
        `tcol delete books '{"year":{"$lt":1800}}' --dry-run`,
        'tcol delete books "$ID" --id --yes',
      ),
    )
    .action(run(remove));
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
