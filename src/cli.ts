import 'reflect-metadata';
import { failureText } from './app.failure.js';
import { auditCommand } from './cli/audit.command.js';
import { backupCommand } from './cli/backup.command.js';
import { bootstrapCommand } from './cli/bootstrap.command.js';
import { citusDistributeCommand, citusUndistributeCommand } from './cli/citus.command.js';
import { type Command, UsageError } from './cli/command.js';
import { envExampleCommand } from './cli/env-example.command.js';
import { keysCommand } from './cli/keys.command.js';
import { keysCreateCommand } from './cli/keys-create.command.js';
import { migrateCommand } from './cli/migrate.command.js';
import { migrateDownCommand } from './cli/migrate-down.command.js';
import { openApiCommand } from './cli/openapi.command.js';
import { restoreCommand } from './cli/restore.command.js';
import { secretsCommand } from './cli/secrets.command.js';
import { signInCommand } from './cli/sign-in.command.js';

const COMMANDS: readonly Command[] = [
  bootstrapCommand,
  signInCommand,
  keysCreateCommand,
  keysCommand,
  secretsCommand,
  auditCommand,
  backupCommand,
  restoreCommand,
  migrateCommand,
  migrateDownCommand,
  citusDistributeCommand,
  citusUndistributeCommand,
  openApiCommand,
  envExampleCommand,
];

/** Exit statuses: 0 done, 1 refused or failed, 2 called in a way that no command knows. */
async function run(args: string[]): Promise<number> {
  const [first] = args;
  if (first === undefined || ['help', '--help', '-h'].includes(first)) {
    process.stdout.write(help());
    return first === undefined ? 2 : 0;
  }
  // "keys create" comes before "keys", which knows the other actions.
  const command = COMMANDS.find(({ name }) => `${args.join(' ')} `.startsWith(`${name} `));
  if (command === undefined) {
    process.stderr.write(`There is no command ${first}.\n\n${help()}`);
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

/** What a command says itself, and what parseArgs of node:util throws for options it does not know. */
function isUsageError(error: unknown): error is Error {
  const code = (error as { code?: unknown } | null)?.code;
  return error instanceof UsageError || (typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS'));
}

function usageOf({ name, usage }: Command): string {
  return `npm run cli -- ${name} ${usage}`.trimEnd();
}

function help(): string {
  const lines = COMMANDS.map(command => `  ${usageOf(command)}\n      ${command.summary}\n`);
  return `Usage:\n\n${lines.join('\n')}\nThe commands use the settings of the service (.env.example) and work beside a running service, unless they say otherwise.\n`;
}

process.exitCode = await run(process.argv.slice(2));
// An application that failed to open has nobody who closes its connections, and they would keep the process alive.
if (process.exitCode !== 0) process.stderr.write('', () => process.exit());
