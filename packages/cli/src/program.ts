import { NetworkError, TcError, VERSION } from '@typed-collections/client';
import { Command, CommanderError, Option } from 'commander';
import { groupsOf, type Run } from './command.js';
import { addAccessCommands } from './commands/access.js';
import { addCollectionCommands } from './commands/collections.js';
import { addExportCommand } from './commands/export.js';
import { addHistoryCommands } from './commands/history.js';
import { addImportCommand } from './commands/import.js';
import { addInsertCommand } from './commands/insert.js';
import { addKeyCommands } from './commands/keys.js';
import { addReadCommands } from './commands/read.js';
import { addSchemaCommands } from './commands/schema.js';
import { addSessionCommands } from './commands/session.js';
import { addToolCommands } from './commands/tools.js';
import { addUndoCommands } from './commands/undo.js';
import { addWebhookCommands } from './commands/webhooks.js';
import { addWriteCommands } from './commands/write.js';
import { Context, type GlobalOptions, type Io } from './context.js';
import { CliError, EXIT, type ExitCode } from './exit.js';
import { FORMATS } from './output/output.js';
import { printable, printableLines } from './output/printable.js';

/** Parses a command line, runs its command and returns the exit code. */
export async function runProgram(args: readonly string[], io: Io): Promise<ExitCode> {
  const abort = new AbortController();
  const interrupt = () => abort.abort(new CliError('Interrupted.', EXIT.interrupted));
  process.once('SIGINT', interrupt);
  let code: ExitCode = EXIT.done;
  const run: Run =
    action =>
    async (...given) => {
      const command = given.at(-1) as Command;
      const options = command.optsWithGlobals<GlobalOptions>();
      const context = new Context(io, options, abort.signal);
      code = (await action(context, options as never, ...(given.slice(0, -2) as never))) ?? EXIT.done;
    };
  try {
    await programOf(io, run).parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    const isInterrupted = abort.signal.aborted && !(error instanceof CliError);
    return told(isInterrupted ? abort.signal.reason : error, io);
  } finally {
    process.off('SIGINT', interrupt);
  }
}

/** The commands by what they are for. */
const GROUPS: Readonly<Record<string, readonly ((program: Command, run: Run) => void)[]>> = {
  'Sign in': [addSessionCommands],
  Collections: [addCollectionCommands, addSchemaCommands],
  Read: [addReadCommands],
  Write: [addInsertCommand, addWriteCommands],
  Files: [addImportCommand, addExportCommand],
  Changes: [addHistoryCommands, addWebhookCommands],
  History: [addUndoCommands],
  Rights: [addKeyCommands, addAccessCommands],
  Develop: [addToolCommands],
};

/** All commands. `run` connects what they do. */
export function programOf(io: Io, run: Run): Command {
  const program = new Command('tcol')
    .usage('[options] <command>')
    .description('Query, change, import, export and administer collections of typed records.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help; tcol <command> --help has examples')
    .option('--profile <name>', 'the environment to use (see tcol profiles)')
    .option('--url <address>', 'the service, instead of that of the profile')
    .addOption(new Option('-o, --output <format>', 'default: table; ndjson in a pipe').choices(FORMATS))
    .option('--out <file>', 'write data to this file instead of stdout')
    .option('-q, --quiet', 'print only data and errors')
    .option('-y, --yes', 'do not ask before writes')
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(see --help)')
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: text => void io.stdout.write(text),
      writeErr: text => void io.stderr.write(text),
    });
  for (const [name, parts] of Object.entries(GROUPS)) {
    program.commandsGroup(name);
    for (const add of parts) add(program, run);
  }
  // One line for each group instead of one for each command: the help fits one screen.
  return program.configureHelp({ visibleCommands: () => [] }).addHelpText('after', () => groupsOf(program));
}

/** Tells the person why a command failed. */
function told(error: unknown, { stderr }: Io): ExitCode {
  // commander has printed its message already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.misuse;
  // The reader of our output has what it wanted, for example `head`.
  if ((error as NodeJS.ErrnoException).code === 'EPIPE') return EXIT.done;
  const { message, hint, exitCode } = failureOf(error);
  const text = hint === undefined ? `error: ${message}` : `error: ${message}\n${hint}`;
  stderr.write(`${printableLines(text)}\n`);
  return exitCode;
}

interface Failure {
  readonly message: string;
  readonly hint: string | undefined;
  readonly exitCode: ExitCode;
}

function failureOf(error: unknown): Failure {
  if (error instanceof CliError) {
    const { message, hint, exitCode } = error;
    return { message, hint, exitCode };
  }
  if (error instanceof NetworkError)
    return { message: error.message, hint: 'Check the address and the network.', exitCode: EXIT.refused };
  if (error instanceof TcError) return { ...refusalOf(error), exitCode: EXIT.refused };
  const { stack, message = String(error) } = error as Error;
  return {
    message: process.env.TC_DEBUG ? (stack ?? message) : message,
    hint: undefined,
    exitCode: EXIT.refused,
  };
}

const MAX_DETAILS = 20;

/** A refusal of the service. Problems that its message does not name already follow line by line. */
function refusalOf({ code, message, details, requestId }: TcError): Omit<Failure, 'exitCode'> {
  const problems = (Array.isArray(details) ? details : []).filter(each => !message.includes(each?.problem));
  const lines = problems
    .slice(0, MAX_DETAILS)
    .map(each => `  ${printable(typeof each === 'string' ? each : JSON.stringify(each))}`);
  const text = [`${printable(message)} (${code})`, ...lines].join('\n');
  return { message: text, hint: requestId && `Correlation id: ${requestId}` };
}
