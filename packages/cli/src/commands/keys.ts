import type { Schemas } from '@typed-collections/client/api';
import type { Command } from 'commander';
import { listArgument, numberArgument } from '../arguments.js';
import { allPages, COLLECTION, examples, PAGE_SIZE, type Run } from '../command.js';
import type { Context } from '../context.js';
import { misuse } from '../exit.js';

type Permission = Schemas['CreatedApiKeyView']['permissions'][number];

const KEY = ['<key>', 'slug or id'] as const;

/** The keys of a collection. */
export function addKeyCommands(program: Command, run: Run): void {
  const keys = program
    .command('keys')
    .description('list, create, rotate and revoke the keys of a collection');
  keys
    .command('list', { isDefault: true })
    .argument(...COLLECTION)
    .description('list the keys of a collection')
    .addHelpText(...examples('tcol keys list books', 'tcol keys list books -o json'))
    .action(run(list));
  keys
    .command('create')
    .argument(...COLLECTION)
    .argument('<slug>', 'its short name')
    .description('create a key, and print its secret once')
    .option('--name <name>', 'its name for people; by default the slug')
    .option('--can <permissions>', 'for example read,write', 'read')
    .option('--expires-in <days>', 'it ends after so many days', numberArgument('expires-in'))
    .addHelpText(
      ...examples(
        'tcol keys create books reports',
        'tcol keys create books importer --can read,write --expires-in 30',
      ),
    )
    .action(run(create));
  keys
    .command('rotate')
    .argument(...COLLECTION)
    .argument(...KEY)
    .description('replace the secret of a key, and print the new one once')
    .option('--grace <seconds>', 'the old secret works for so long', numberArgument('grace', 0))
    .addHelpText(...examples('tcol keys rotate books reports', 'tcol keys rotate books reports --grace 3600'))
    .action(run(rotate));
  keys
    .command('revoke')
    .argument(...COLLECTION)
    .argument(...KEY)
    .description('end a key')
    .addHelpText(...examples('tcol keys revoke books reports', 'tcol keys revoke books importer --yes'))
    .action(run(revoke));
}

async function list({ api, output }: Context, _options: object, collection_id: string): Promise<void> {
  const items = await keysOf(api, collection_id);
  if (output.format !== 'table') return void (await output.rows(items));
  await output.rows(
    items.map(({ slug, name, permissions, prefix, expires_at, last_used_at, id }) => ({
      ...{ slug, name, permissions: permissions.join(' '), prefix },
      ...{ expires_at: instant(expires_at), last_used_at, id },
    })),
  );
}

const DAY_SECONDS = 86_400;

interface CreateFlags {
  readonly name?: string;
  readonly can: string;
  readonly expiresIn?: number;
}

async function create(
  context: Context,
  { name, can, expiresIn }: CreateFlags,
  collection_id: string,
  slug: string,
): Promise<void> {
  const permissions = listArgument(can).map(each => `collections:${each}`) as Permission[];
  const expires_at = expiresIn && Math.floor(Date.now() / 1000) + expiresIn * DAY_SECONDS;
  const body = { collection_id, slug, name: name ?? slug, permissions, expires_at };
  const { secret } = await context.api.apiKeys.createApiKey(body as never);
  await printSecret(context, secret, 'key');
}

async function rotate(
  context: Context,
  { grace }: { readonly grace?: number },
  collection_id: string,
  key: string,
): Promise<void> {
  const key_id = await keyId(context, collection_id, key);
  const end = grace ? `works for ${grace} more seconds` : 'stops working at once';
  await context.confirm(`Replace the secret of the key ${key}? The old one ${end}.`);
  const { secret } = await context.api.apiKeys.rotateApiKey({ collection_id, key_id, grace_seconds: grace });
  await printSecret(context, secret, 'key');
}

async function revoke(context: Context, _options: object, collection_id: string, key: string): Promise<void> {
  const key_id = await keyId(context, collection_id, key);
  await context.confirm(`End the key ${key} of ${collection_id}?`);
  await context.api.apiKeys.deleteApiKey({ collection_id, key_id });
  context.say(`Ended the key ${key}.`);
}

function keysOf(api: Context['api'], collection_id: string) {
  return allPages(page => api.apiKeys.listApiKeys({ collection_id, page, limit: PAGE_SIZE }));
}

/** The id of a key by its slug or id. */
async function keyId({ api }: Context, collection_id: string, key: string): Promise<string> {
  const found = (await keysOf(api, collection_id)).find(({ id, slug }) => key === slug || key === id);
  if (found === undefined)
    throw misuse(`${collection_id} has no key "${key}".`, `Run: tcol keys list ${collection_id}`);
  return found.id;
}

/** The secret goes to stdout alone, so that a script can keep it. */
export async function printSecret(
  { output, say }: Context,
  secret: string,
  what: 'key' | 'secret',
): Promise<void> {
  if (output.format === 'table') await output.raw([`${secret}\n`]);
  else await output.value({ secret });
  say(`This ${what} is shown only once.`);
}

function instant(seconds: number | null): string | null {
  return seconds === null ? null : new Date(seconds * 1000).toISOString();
}
