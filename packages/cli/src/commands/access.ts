import type { Schemas } from '@typed-collections/client/api';
import type { Command } from 'commander';
import { jsonArgument } from '../arguments.js';
import { allPages, COLLECTION, examples, oneOf, PAGE_SIZE, type Run } from '../command.js';
import type { Context } from '../context.js';
import { misuse } from '../exit.js';
import type { Row } from '../output/output.js';

type Role = Schemas['AccessBindingView']['role'];
type PrincipalType = Schemas['AccessBindingView']['principal_type'];

interface Principal {
  readonly collection_id: string;
  readonly principal_type: PrincipalType;
  readonly principal_id: string;
}

const PRINCIPALS: readonly PrincipalType[] = ['user', 'group', 'org', 'agent', 'anonymous', 'signup'];
const PRINCIPAL = [
  '<principal>',
  'user:ID, agent:ID, group:SLUG, or org:SLUG, anonymous:SLUG or signup:SLUG with the slug of the organization',
] as const;

/** With whom a collection is shared. */
export function addAccessCommands(program: Command, run: Run): void {
  const access = program
    .command('access')
    .description('list, grant, revoke and explain access to a collection');
  access
    .command('list', { isDefault: true })
    .argument(...COLLECTION)
    .description('list with whom a collection is shared')
    .addHelpText(...examples('tcol access list books', 'tcol access list books -o json'))
    .action(run(list));
  access
    .command('grant')
    .argument(...COLLECTION)
    .argument(...PRINCIPAL)
    .addArgument(oneOf('<role>', ['reader', 'editor', 'admin']))
    .option('--rules <json>', 'which records are reached: JSON or @file; null removes the rules')
    .option('--fields <json>', 'which fields are reached: JSON or @file; null removes them')
    .option('--limits <json>', 'how often the collection is used: JSON or @file; null removes them')
    .description('share a collection, with some of its records and fields or all')
    .addHelpText(
      ...examples(
        'tcol access grant books group:editors editor',
        `tcol access grant books org:acme reader --rules '{"read":{"year":{"$gte":1900}}}'`,
      ),
    )
    .action(run(grant));
  access
    .command('revoke')
    .argument(...COLLECTION)
    .argument(...PRINCIPAL)
    .description('end a share')
    .addHelpText(
      ...examples('tcol access revoke books group:editors', 'tcol access revoke books org:acme --yes'),
    )
    .action(run(revoke));
  access
    .command('explain')
    .argument(...COLLECTION)
    .argument(...PRINCIPAL)
    .description('show what somebody may do, and why')
    .addHelpText(
      ...examples('tcol access explain books group:editors', 'tcol access explain books org:acme -o json'),
    )
    .action(run(explain));
}

async function list({ api, output }: Context, _options: object, collection_id: string): Promise<void> {
  const found = await allPages(page => api.sharing.listAccess({ collection_id, page, limit: PAGE_SIZE }));
  if (output.format !== 'table') return void (await output.rows(found));
  await output.rows(
    found.map(({ principal_type, principal_id, email, role, rules, fields, limits }) => ({
      principal: `${principal_type}:${principal_id}`,
      ...{ email, role },
      ...{ rules, fields, limits },
    })),
  );
}

interface GrantOptions {
  readonly rules?: string;
  readonly fields?: string;
  readonly limits?: string;
}

async function grant(
  context: Context,
  options: GrantOptions,
  collection_id: string,
  principal: string,
  role: Role,
): Promise<void> {
  const body: Record<string, unknown> = { ...(await principalOf(context, collection_id, principal)), role };
  for (const part of ['rules', 'fields', 'limits'] as const) {
    const text = options[part];
    if (text !== undefined) body[part] = await jsonArgument(context, part, text);
  }
  await context.output.value(await context.api.sharing.grantAccess(body as never));
}

async function revoke(
  context: Context,
  _options: object,
  collection_id: string,
  principal: string,
): Promise<void> {
  const input = await principalOf(context, collection_id, principal);
  await context.confirm(`End the access of ${principal} to ${collection_id}?`);
  await context.api.sharing.revokeAccess(input as never);
  context.say(`Ended the access of ${principal}.`);
}

async function explain(
  context: Context,
  _options: object,
  collection_id: string,
  principal: string,
): Promise<void> {
  const { api, output, say } = context;
  const found = await api.sharing.explainAccess(await principalOf(context, collection_id, principal));
  if (output.format !== 'table') return output.value(found);
  const { role, rights, paths } = found as unknown as Record<'rights' | 'paths', readonly Row[]> & {
    readonly role: string | null;
  };
  say(`${principal} has the role ${role ?? 'none'} in ${collection_id}.`);
  await output.rows(rights);
  await output.rows(paths);
}

/** `group:editors`. The id of a group begins with its organization: that of the collection, unless it is given. */
async function principalOf({ api }: Context, collection_id: string, text: string): Promise<Principal> {
  const [type, ...rest] = text.split(':');
  const principal_type = PRINCIPALS.find(each => each === type);
  const principal_id = rest.join(':');
  if (principal_type === undefined || principal_id === '')
    throw misuse(`"${text}" is not TYPE:ID.`, `Types: ${PRINCIPALS.join(', ')}.`);
  if (principal_type !== 'group' || rest.length > 1) return { collection_id, principal_type, principal_id };
  const { orgSlug } = await api.collections.getCollection({ collection_id });
  return { collection_id, principal_type, principal_id: `${orgSlug}:${principal_id}` };
}
