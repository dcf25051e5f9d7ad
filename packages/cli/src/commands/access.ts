import type { Schemas } from '@typed-collections/client/api';
import type { Command } from 'commander';
import { numberArgument } from '../arguments.js';
import { examples, type Run } from '../command.js';
import type { Context } from '../context.js';
import { misuse } from '../exit.js';

type KeyPermission = Schemas['CreatedApiKeyView']['permissions'][number];

const PRINCIPALS = ['user', 'group', 'org', 'agent'] as const;
const ROLES = ['reader', 'editor', 'admin'] as const;

/** Who may do what with a collection: keys and sharing. */
export function addAccessCommands(program: Command, run: Run): void {
  const keys = program
    .command('keys')
    .description('list, create, rotate and revoke the keys of a collection');
  keys
    .command('list', { isDefault: true })
    .argument('<collection>', 'name or id')
    .description('list the keys of a collection')
    .addHelpText('after', examples('tcol keys list books', 'tcol keys list books -o json'))
    .action(run(listKeys));
  keys
    .command('create')
    .argument('<collection>', 'name or id')
    .argument('<slug>', 'its short name')
    .description('create a key, and print its secret once')
    .option('--name <name>', 'its name for people; by default the slug')
    .option('--can <permissions>', 'for example read,write', 'read')
    .option('--expires-in <days>', 'it ends after so many days', numberArgument('expires-in'))
    .addHelpText(
      'after',
      examples(
        'tcol keys create books reports',
        'tcol keys create books importer --can read,write --expires-in 30',
      ),
    )
    .action(run(createKey));
  keys
    .command('rotate')
    .argument('<collection>', 'name or id')
    .argument('<key>', 'slug or id')
    .description('replace the secret of a key, and print the new one once')
    .option('--grace <seconds>', 'the old secret works for so long', numberArgument('grace', 0))
    .addHelpText(
      'after',
      examples('tcol keys rotate books reports', 'tcol keys rotate books reports --grace 3600'),
    )
    .action(run(rotateKey));
  keys
    .command('revoke')
    .argument('<collection>', 'name or id')
    .argument('<key>', 'slug or id')
    .description('end a key')
    .addHelpText('after', examples('tcol keys revoke books reports', 'tcol keys revoke books reports --yes'))
    .action(run(revokeKey));

  const access = program
    .command('access')
    .description('list, grant, revoke and explain access to a collection');
  access
    .command('list', { isDefault: true })
    .argument('<collection>', 'name or id')
    .description('list with whom a collection is shared')
    .addHelpText('after', examples('tcol access list books', 'tcol access list books -o json'))
    .action(run(listAccess));
  access
    .command('grant')
    .argument('<collection>', 'name or id')
    .argument('<principal>', 'user:ID, group:SLUG or org:SLUG')
    .argument('<role>', ROLES.join(', '))
    .description('share a collection')
    .addHelpText(
      'after',
      examples('tcol access grant books group:editors editor', 'tcol access grant books org:default reader'),
    )
    .action(run(grant));
  access
    .command('revoke')
    .argument('<collection>', 'name or id')
    .argument('<principal>', 'user:ID, group:SLUG or org:SLUG')
    .description('end a share')
    .addHelpText(
      'after',
      examples('tcol access revoke books group:editors', 'tcol access revoke books org:default --yes'),
    )
    .action(run(revoke));
  access
    .command('explain')
    .argument('<collection>', 'name or id')
    .argument('<principal>', 'user:ID, group:SLUG, org:SLUG or agent:ID')
    .description('show what somebody may do, and why')
    .addHelpText(
      'after',
      examples('tcol access explain books group:editors', 'tcol access explain books org:default -o json'),
    )
    .action(run(explain));
}

async function listKeys(context: Context, _options: object, collection_id: string): Promise<void> {
  const { items } = await context.api.apiKeys.listApiKeys({ collection_id });
  await context.output.rows(
    items.map(({ slug, name, permissions, prefix, expires_at, last_used_at, id }) => ({
      ...{
        slug,
        name,
        permissions: permissions.join(' '),
        prefix,
        expires_at: instant(expires_at),
        last_used_at,
        id,
      },
    })),
  );
}

interface KeyFlags {
  readonly name?: string;
  readonly can: string;
  readonly expiresIn?: number;
}

const DAY_SECONDS = 86_400;

async function createKey(
  context: Context,
  { name, can, expiresIn }: KeyFlags,
  collection_id: string,
  slug: string,
): Promise<void> {
  const permissions = can.split(',').map(each => `collections:${each.trim()}`) as KeyPermission[];
  const expires_at =
    expiresIn === undefined ? undefined : Math.floor(Date.now() / 1000) + expiresIn * DAY_SECONDS;
  const body = { collection_id, slug, name: name ?? slug, permissions: permissions as never, expires_at };
  const { secret } = await context.api.apiKeys.createApiKey(body);
  await printSecret(context, secret, 'key');
}

async function rotateKey(
  context: Context,
  { grace }: { readonly grace?: number },
  collection_id: string,
  key: string,
): Promise<void> {
  const key_id = await keyId(context, collection_id, key);
  await context.confirm(
    `Replace the secret of the key ${key}${grace ? '' : '? The old one stops working at once'}?`,
  );
  const { secret } = await context.api.apiKeys.rotateApiKey({ collection_id, key_id, grace_seconds: grace });
  await printSecret(context, secret, 'key');
}

async function revokeKey(
  context: Context,
  _options: object,
  collection_id: string,
  key: string,
): Promise<void> {
  const key_id = await keyId(context, collection_id, key);
  await context.confirm(`End the key ${key} of ${collection_id}?`);
  await context.api.apiKeys.deleteApiKey({ collection_id, key_id });
  context.say(`Ended the key ${key}.`);
}

/** The id of a key by its slug or id. */
async function keyId(context: Context, collection_id: string, key: string): Promise<string> {
  const { items } = await context.api.apiKeys.listApiKeys({ collection_id });
  const found = items.find(({ id, slug }) => key === slug || key === id);
  if (found === undefined)
    throw misuse(`${collection_id} has no key "${key}".`, `Run: tcol keys list ${collection_id}`);
  return found.id;
}

/** The secret goes to stdout alone, so that a script can keep it. */
export async function printSecret(context: Context, secret: string, what: string): Promise<void> {
  if (context.output.format === 'table') await context.output.raw([`${secret}\n`]);
  else await context.output.value({ secret });
  context.say(`This ${what} is shown only once.`);
}

function instant(seconds: number | null): string | null {
  return seconds === null ? null : new Date(seconds * 1000).toISOString();
}

async function listAccess(context: Context, _options: object, collection_id: string): Promise<void> {
  const rows: Schemas['AccessBindingView'][] = [];
  for (let page = 1; ; page++) {
    const { items, total } = await context.api.sharing.listAccess({ collection_id, page, limit: 100 });
    rows.push(...items);
    if (items.length === 0 || rows.length >= total) break;
  }
  await context.output.rows(
    rows.map(({ principal_type, principal_id, email, role }) => ({
      principal_type,
      principal_id,
      email,
      role,
    })),
  );
}

async function grant(
  context: Context,
  _options: object,
  collection_id: string,
  principal: string,
  role: string,
): Promise<void> {
  const known = ROLES.find(each => each === role);
  if (known === undefined) throw misuse(`"${role}" is not a role.`, `Roles: ${ROLES.join(', ')}.`);
  const body = { collection_id, ...principalOf(principal), role: known };
  const granted = await context.api.sharing.grantAccess(body as never);
  await context.output.value(granted);
}

async function revoke(
  context: Context,
  _options: object,
  collection_id: string,
  principal: string,
): Promise<void> {
  await context.confirm(`End the access of ${principal} to ${collection_id}?`);
  const input = { collection_id, ...principalOf(principal) } as never;
  await context.api.sharing.revokeAccess(input);
  context.say(`Ended the access of ${principal}.`);
}

async function explain(
  context: Context,
  _options: object,
  collection_id: string,
  principal: string,
): Promise<void> {
  const input = { collection_id, ...principalOf(principal) };
  const found = await context.api.sharing.explainAccess(input);
  if (context.output.format !== 'table') return context.output.value(found);
  context.say(`${principal} has the role ${found.role ?? 'none'} in ${collection_id}.`);
  await context.output.rows(found.rights as never);
  await context.output.rows(found.paths as never);
}

/** `group:editors` */
function principalOf(text: string): { principal_type: (typeof PRINCIPALS)[number]; principal_id: string } {
  const [type = '', ...rest] = text.split(':');
  const principal_type = PRINCIPALS.find(each => each === type);
  if (principal_type === undefined || rest.join(':') === '')
    throw misuse(`"${text}" is not TYPE:ID.`, `Types: ${PRINCIPALS.join(', ')}.`);
  return { principal_type, principal_id: rest.join(':') };
}
