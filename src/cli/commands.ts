import type { Command } from './command.js';

/** All commands. The code of a command is loaded when it runs, because most need only a small part of the service. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'bootstrap',
    usage: '--org <slug> --email <address>',
    summary: 'create the first organization and its owner, while there is no organization',
    run: async args => (await import('./access.commands.js')).createFirstOrg(args),
  },
  {
    name: 'sign-in',
    usage: '[--email <address>]',
    summary: 'print a new one-time sign-in link for the first owner, or for the user with that address',
    run: async args => (await import('./access.commands.js')).printSignInLink(args),
  },
  {
    name: 'keys create',
    usage:
      "[--org <slug>] --name <name> --permissions <list or '*'> [--slug <slug>] [--expires <date or days>]",
    summary:
      'create an API key of an organization and print it, once; --org may be left out if there is only one',
    run: async args => (await import('./access.commands.js')).createApiKey(args),
  },
  {
    name: 'keys',
    usage: 'list | rotate | remove <kid>',
    summary: 'the keys that sign JWTs (not API keys): list them, publish the next one, remove one at once',
    run: async args => (await import('./security.commands.js')).manageSigningKeys(args),
  },
  {
    name: 'secrets',
    usage: 'reencrypt',
    summary:
      'encrypt every stored secret with the first of SECRETS_MASTER_KEYS, so that the others can be removed',
    run: async args => (await import('./security.commands.js')).reencryptSecrets(args),
  },
  {
    name: 'audit',
    usage: 'verify [--org <slug>]',
    summary: 'verify the audit logs, or that of one organization, against their hash chains and checkpoints',
    run: async args => (await import('./security.commands.js')).verifyAuditLogs(args),
  },
  {
    name: 'backup',
    usage: '<file> [--logical]',
    summary:
      'write everything except the master keys to a file: with pg_dump if it is installed, otherwise as lines of JSON',
    run: async args => (await import('./backup.commands.js')).backUp(args),
  },
  {
    name: 'restore',
    usage: '<file> [--force]',
    summary:
      'fill an empty database from a backup, or with --force replace its data; stop all instances first',
    run: async args => (await import('./backup.commands.js')).restoreBackup(args),
  },
  {
    name: 'migrate',
    usage: '',
    summary: 'apply all pending migrations',
    run: async args => (await import('./database.commands.js')).applyMigrations(args),
  },
  {
    name: 'migrate:status',
    usage: '',
    summary: 'list the migrations that are applied and those that are pending',
    run: async args => (await import('./database.commands.js')).showMigrations(args),
  },
  {
    name: 'migrate:down',
    usage: '[--to <version or migration>] [--yes]',
    summary:
      'list and take back the newest migration, or all after --to; what loses data is taken back only with --yes',
    run: async args => (await import('./database.commands.js')).undoMigrations(args),
  },
  {
    name: 'citus:distribute',
    usage: '',
    summary: 'move the data of every organization to a node of Citus; stop all instances first',
    run: async args => (await import('./citus.commands.js')).distributeOrgs(args),
  },
  {
    name: 'citus:undistribute',
    usage: '',
    summary: 'move the data of every organization back from the nodes of Citus; stop all instances first',
    run: async args => (await import('./citus.commands.js')).undistributeOrgs(args),
  },
  {
    name: 'openapi',
    usage: '<file>',
    summary: 'write the OpenAPI description of all routes; needs no database',
    run: async args => (await import('./generated-files.commands.js')).writeOpenApi(args),
  },
  {
    name: 'env-example',
    usage: '',
    summary: 'write .env.example from the settings in the code',
    run: async args => (await import('./generated-files.commands.js')).writeEnvExample(args),
  },
];
