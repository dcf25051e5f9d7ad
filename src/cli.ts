import 'reflect-metadata';
import { failureText } from './app/failure.js';
import { type Command, called, UsageError } from './cli/command.js';
import { COMMANDS } from './cli/commands.js';

/** Returns the exit status: 0 for success, 1 for a failure, 2 for an unknown command or wrong arguments. */
async function run(args: string[]): Promise<number> {
  const [first] = args;
  if (first === undefined || ['help', '--help', '-h'].includes(first)) {
    process.stdout.write(help());
    return first === undefined ? 2 : 0;
  }
  // "keys create" must come before "keys" in the list, because the shorter name matches too.
  const command = COMMANDS.find(({ name }) => `${args.join(' ')} `.startsWith(`${name} `));
  if (command === undefined) {
    process.stderr.write(`${first} is not a command.\n\n${help()}`);
    return 2;
  }
  try {
    await command.run(args.slice(command.name.split(' ').length));
    return 0;
  } catch (error) {
    if (!isUsageError(error)) {
      process.stderr.write(`${failureText(error)}\n`);
      return 1;
    }
    process.stderr.write(`${command.name}: ${error.message}\nUsage: ${usageOf(command)}\n`);
    return 2;
  }
}

/** True for a UsageError, and for what parseArgs of node:util throws for unknown options. */
function isUsageError(error: unknown): error is Error {
  const code = (error as { code?: unknown } | null)?.code;
  return error instanceof UsageError || (typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS'));
}

function usageOf({ name, usage }: Command): string {
  return called(`${name} ${usage}`).trimEnd();
}

function help(): string {
  const lines = COMMANDS.map(command => `  ${usageOf(command)}\n      ${command.summary}\n`);
  return `Usage:\n\n${lines.join('\n')}\nThe commands use the settings of the service (.env.example) and work beside a running service, unless they say otherwise.\n`;
}

// A reader that ends early (`… | head`) ends the output, not the work: a backup must be complete.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
process.exitCode = await run(process.argv.slice(2));
// An application that failed to start may leave connections open, which would keep the process alive.
if (process.exitCode !== 0) process.stderr.write('', () => process.exit());
