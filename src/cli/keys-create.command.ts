import { parseArgs } from 'node:util';
import type { INestApplicationContext } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { validated } from '../http/validation.pipe.js';
import type { Call } from '../kernel/call.js';
import { platformCall } from '../kernel/platform-call.js';
import type { Membership } from '../kernel/principal.js';
import { MintOrgApiKeyBody } from '../orgs/api-keys/api-key.dto.js';
import { ManagedApiKeys } from '../orgs/api-keys/managed-api-keys.service.js';
import { Memberships } from '../orgs/memberships/memberships.service.js';
import { withApplication } from './application.js';
import { type Command, print, UsageError } from './command.js';

const DAY_MS = 86_400_000;

/** $1 slug, or null for the only organization that there is. The owner who has been one for longest. */
const OWNERS = `SELECT DISTINCT ON (o.id) o.slug, u.id AS owner FROM orgs o
  LEFT JOIN org_memberships m ON m.org_id = o.id AND m.role_slug = 'owner'
  LEFT JOIN users u ON u.id = m.user_id AND u.status = 'active'
  WHERE o.deleted_at IS NULL AND ($1::text IS NULL OR o.slug = $1)
  ORDER BY o.id, u.id IS NULL, m.joined_at LIMIT 2`;

export const keysCreateCommand: Command = {
  name: 'keys create',
  usage:
    "[--org <slug>] --name <name> --permissions <list or '*'> [--slug <slug>] [--expires <date or days>]",
  summary:
    'create an API key of an organization and print it, once; --org may be left out if there is only one',
  async run(args) {
    const text = { type: 'string' } as const;
    const options = { org: text, name: text, slug: text, permissions: text, expires: text };
    const { org, name, slug, permissions, expires } = parseArgs({ args, options }).values;
    if (name === undefined) throw new UsageError('expects --name');
    if (permissions === undefined) {
      throw new UsageError("expects --permissions, like collections:read,collections:write, or '*' for all");
    }
    const body = validated(MintOrgApiKeyBody, {
      slug: slug ?? slugOf(name),
      name,
      permissions: permissions.split(',').map(each => each.trim()),
      ...(expires !== undefined && { expiresAt: instantOf(expires) }),
    });
    const { apiKey, orgSlug } = await withApplication(async app => {
      const { call, membership } = await ownerCall(app, org);
      const minted = await app.get(ManagedApiKeys).mint(call, membership, body);
      return { ...minted, orgSlug: membership.orgSlug };
    });
    process.stderr.write(`API key "${body.slug}" of organization "${orgSlug}", shown only once:\n`);
    print(apiKey);
  },
};

/** The command acts for the owner, who then stands behind what the key creates. */
async function ownerCall(
  app: INestApplicationContext,
  slug: string | undefined,
): Promise<{ call: Call; membership: Membership }> {
  const [found, other]: { slug: string; owner: string | null }[] = await app
    .get(DataSource)
    .query(OWNERS, [slug ?? null]);
  if (found === undefined) {
    throw new Error(
      slug === undefined
        ? 'There is no organization yet: npm run cli -- bootstrap creates the first one.'
        : `There is no organization ${slug}.`,
    );
  }
  if (other !== undefined) throw new UsageError('expects --org, since there are several organizations');
  if (found.owner === null) throw new Error(`Organization ${found.slug} has no active owner.`);
  const memberships = await app.get(Memberships).of(found.owner);
  const membership = memberships.find(each => each.orgSlug === found.slug) as Membership;
  const { principal, ...call } = platformCall('cli');
  return {
    call: { ...call, principal: { ...principal, type: 'user', id: found.owner, memberships } },
    membership,
  };
}

function slugOf(name: string): string {
  return name
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[-_]+|-+$/g, '')
    .toLowerCase();
}

/** `2027-01-31`, an instant, or `90d` from now. */
function instantOf(text: string): string {
  const days = /^(\d{1,5})d?$/.exec(text)?.[1];
  const date = days === undefined ? new Date(text) : new Date(Date.now() + Number(days) * DAY_MS);
  if (Number.isNaN(date.getTime())) throw new UsageError('expects --expires like 2027-01-31 or 90d');
  return date.toISOString();
}
