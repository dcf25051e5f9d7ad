import { environment } from '../platform/config/load-settings.js';

/** A command of the command line. */
export interface Command {
  readonly name: string;
  /** The arguments, as the help text shows them. */
  readonly usage: string;
  readonly summary: string;
  /** Prints its result on stdout. Throws UsageError, or a plain Error that says what to do. */
  run(args: string[]): Promise<void>;
}

/** The arguments of the command are wrong. The usage is printed too. */
export class UsageError extends Error {}

/** How a command is called here: `npm run cli -- help` in a clone, `typed-collections help` in the image. */
export function called(command: string): string {
  return `${environment().TYPED_COLLECTIONS_COMMAND ?? 'npm run cli --'} ${command}`;
}

/** Refuses arguments of a command that takes none. */
export function expectNone(args: readonly string[]): void {
  if (args.length > 0) throw new UsageError(`unexpected argument ${args[0]}`);
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
