import type { Undone, UndoSelection } from '@typed-collections/client';
import { type Command, Option } from 'commander';
import { numberArgument, objectArgument } from '../arguments.js';
import { COLLECTION, examples, FILTER, first, type Run } from '../command.js';
import type { Context } from '../context.js';
import { misuse } from '../exit.js';
import { counted } from '../output/progress.js';

/** What records were, and how they become it again. */
export function addUndoCommands(program: Command, run: Run): void {
  program
    .command('history')
    .argument(...COLLECTION)
    .argument('<id>', 'id of the record')
    .description('print the versions of a record, newest first, with who wrote them')
    .option('--limit <count>', 'print at most so many', numberArgument('limit'), 20)
    .addHelpText(...examples('tcol history books "$ID"', 'tcol history books "$ID" -o json'))
    .action(run(history));
  program
    .command('undo')
    .argument(...COLLECTION)
    .argument('[events...]', 'audit events of the writes; tcol audit lists them')
    .description('undo writes: shows how many records, then asks')
    .option('--correlation <id>', 'undo the writes of one request')
    .option('--actor <type:id>', 'undo the writes of a caller, for example key:0199f3a2-…; needs --since')
    .option('--since <instant>', 'with --actor: the first instant')
    .option('--until <instant>', 'with --actor: the last instant; default: now')
    .addOption(
      new Option('--on-conflict <choice>', 'what to do about records that were written since')
        .choices(['stop', 'skip', 'force'])
        .default('stop'),
    )
    .option('--dry-run', 'only show what would be undone')
    .addHelpText(
      ...examples(
        'tcol undo books --actor "$ACTOR" --since 2026-01-31T12:00:00Z --dry-run',
        'tcol undo books "$EVENT" --yes',
      ),
    )
    .action(run(undo));
  program
    .command('restore')
    .argument(...COLLECTION)
    .argument(...FILTER)
    .requiredOption('--as-of <instant>', 'for example 2026-01-31T12:00:00Z')
    .description('make records what they were at an instant: shows how many, then asks')
    .option('--dry-run', 'only show what would be restored')
    .addHelpText(
      ...examples(
        'tcol restore books --as-of "$INSTANT" --dry-run',
        `tcol restore books '{"year":{"$gt":1900}}' --as-of "$INSTANT" --yes`,
      ),
    )
    .action(run(restore));
}

async function history(
  context: Context,
  { limit }: { readonly limit: number },
  name: string,
  id: string,
): Promise<void> {
  const { output, signal } = context;
  const versions = first(context.collection(name).history(id, { signal }), limit);
  if (output.format !== 'table') return void (await output.rows(versions));
  // Lines instead of a table, which would cut the ids of events.
  for await (const { version, valid_from, operation, actor, changed, event_id } of versions) {
    const by = actor === null ? [] : [`by ${actor.type} ${actor.id} (${actor.via})`];
    const event = event_id === null ? [] : [`event ${event_id}`];
    await output.raw([
      `${[version, valid_from, operation, changed.join(', '), ...event, ...by].join('  ')}\n`,
    ]);
  }
}

interface UndoFlags {
  readonly correlation?: string;
  readonly actor?: string;
  readonly since?: string;
  readonly until?: string;
  readonly onConflict: 'stop' | 'skip' | 'force';
  readonly dryRun?: boolean;
}

async function undo(context: Context, flags: UndoFlags, name: string, events: string[]): Promise<void> {
  const { onConflict, dryRun } = flags;
  const collection = context.collection(name);
  const writes = selectionOf(flags, events);
  const would = await collection.undo(writes, { onConflict, dryRun: true });
  const isStopped = onConflict === 'stop' && would.conflicts.length > 0;
  if (dryRun || isStopped || would.undone === 0) {
    await report(context, would, 'would be put back');
    if (isStopped && !dryRun)
      throw misuse(
        'Records were written since, so nothing was undone.',
        'Use --on-conflict skip to leave them as they are, or --on-conflict force to discard the later writes.',
      );
    return;
  }
  const left = would.skipped > 0 ? ` ${counted(would.skipped, 'record')} stay as they are.` : '';
  await context.confirm(`Put back ${counted(would.undone, 'record')} of ${name}?${left}`);
  await report(context, await collection.undo(writes, { onConflict }), 'put back');
}

/** The writes that the arguments name, in exactly one way. */
function selectionOf({ correlation, actor, since, until }: UndoFlags, events: string[]): UndoSelection {
  const named = [events.length > 0, correlation !== undefined, actor !== undefined].filter(Boolean).length;
  if (named !== 1)
    throw misuse('Name the writes by events, or by --correlation, or by --actor with --since.');
  if (correlation !== undefined) return { correlationId: correlation };
  if (actor === undefined) return { eventIds: events };
  const [, type, id] = /^([a-z-]+):(.+)$/.exec(actor) ?? [];
  if (type === undefined || id === undefined) throw misuse(`--actor: "${actor}" is not type:id.`);
  if (since === undefined) throw misuse('--actor needs --since.');
  return { actor: { type, id }, since, until };
}

async function report({ output, say }: Context, result: Undone, what: string): Promise<void> {
  if (output.format !== 'table') return output.value(result);
  const { undone, conflicts, event_id } = result;
  await output.raw([`${counted(undone, 'record')} ${what}\n`]);
  if (conflicts.length > 0) await output.rows([...conflicts]);
  if (event_id !== null) say(`Event ${event_id} can be undone in turn.`);
}

async function restore(
  context: Context,
  { asOf, dryRun }: { readonly asOf: string; readonly dryRun?: boolean },
  name: string,
  text: string,
): Promise<void> {
  const collection = context.collection(name);
  const filter = await objectArgument(context, 'filter', text);
  const would = await collection.restore(asOf, filter, { dryRun: true });
  const isNothing = would.restored + would.deleted === 0;
  if (!dryRun && !isNothing) {
    const deleted = would.deleted > 0 ? `, and delete ${counted(would.deleted, 'record')} made since` : '';
    await context.confirm(`Restore ${counted(would.restored, 'record')} of ${name} as of ${asOf}${deleted}?`);
  }
  await context.output.value(dryRun || isNothing ? would : await collection.restore(asOf, filter));
}
