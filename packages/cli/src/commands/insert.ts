import { newIdempotencyKey, TcError } from '@typed-collections/client';
import type { Command } from 'commander';
import { jsonArgument, numberArgument } from '../arguments.js';
import { COLLECTION, examples, type Run } from '../command.js';
import type { Context } from '../context.js';
import { CliError, EXIT, misuse } from '../exit.js';
import type { Row } from '../output/output.js';
import { counted } from '../output/progress.js';

/** The most records that the service inserts in one request. */
const SLICE = 1000;

interface Flags {
  readonly startAt?: number;
  readonly key?: string;
}

export function addInsertCommand(program: Command, run: Run): void {
  program
    .command('insert')
    .argument(...COLLECTION)
    .argument('<records>', 'a JSON object or array, @file or - for stdin')
    .description('insert records, and print their ids')
    .option(
      '--start-at <count>',
      'leave out so many, to go on after a failure',
      numberArgument('start-at', 0),
    )
    .option('--key <key>', 'the key of the call that failed: nothing is inserted twice')
    .addHelpText(
      ...examples(`tcol insert books '{"title":"Emma","year":1815}'`, 'tcol insert books @books.json'),
    )
    .action(run(insert));
}

async function insert(context: Context, flags: Flags, name: string, text: string): Promise<void> {
  const given = (await jsonArgument(context, 'records', text)) as Row | Row[];
  const insertion = new Insertion(context, name, Array.isArray(given) ? given : [given], flags);
  await context.output.rows(insertion.ids());
  insertion.finish();
}

/** Inserts records in slices, each of them completely or not at all. */
class Insertion {
  private readonly startAt: number;
  private readonly key: string;
  private done: number;
  private failure: unknown;

  constructor(
    private readonly context: Context,
    private readonly name: string,
    private readonly records: readonly Row[],
    { startAt = 0, key = newIdempotencyKey() }: Flags,
  ) {
    if (startAt > records.length) {
      throw misuse(`--start-at: there are only ${counted(records.length, 'record')}.`);
    }
    this.startAt = startAt;
    this.key = key;
    this.done = startAt;
  }

  /** The ids as the slices are inserted. Ends at a failure, so that those before it are printed; `finish` throws it. */
  async *ids(): AsyncGenerator<{ readonly _id: string }, void, undefined> {
    const collection = this.context.collection(this.name);
    try {
      do {
        const slice = this.records.slice(this.done, this.done + SLICE);
        // A call that goes on at the same record with the same key sends the same slice, which is then inserted once.
        const { ids } = await collection.insert(slice, { idempotencyKey: `${this.key}.${this.done}` });
        this.done += slice.length;
        for (const _id of ids) yield { _id };
      } while (this.done < this.records.length);
    } catch (error) {
      this.failure = error;
    }
  }

  /** Says how many records are inserted. Throws the failure, with what goes on after it. */
  finish(): void {
    const { done, failure, key, records, startAt } = this;
    if (failure === undefined) {
      this.context.say(`${counted(done - startAt, 'record')} inserted`);
      return;
    }
    if (!(failure instanceof TcError) || records.length <= SLICE) throw failure;
    throw new CliError(
      `${said(done)} of ${counted(records.length, 'record')} are inserted. Then, in those from ${said(done + 1)} on: ${failure.message} (${failure.code})`,
      done > 0 ? EXIT.partly : EXIT.refused,
      `Go on with the same records and: --start-at ${done} --key ${key}`,
    );
  }
}

const said = (count: number) => count.toLocaleString('en-US');
