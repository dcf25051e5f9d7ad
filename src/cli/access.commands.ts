import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { INestApplicationContext } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Bootstrap } from '../app/bootstrap.js';
import { type Call, platformCall } from '../base/kernel/call.js';
import { DAY_MS } from '../base/kernel/clock.js';
import { isCalendarDate, utcInstant } from '../base/kernel/instant.js';
import type { Membership } from '../base/kernel/principal.js';
import { Users } from '../features/identity/users.service.js';
import { MintOrgApiKeyBody } from '../features/orgs/api-keys/api-key.dto.js';
import { ManagedApiKeys } from '../features/orgs/api-keys/managed-api-keys.service.js';
import { Memberships } from '../features/orgs/members/memberships.service.js';
import { Settings } from '../platform/config/settings.js';
import { validated } from '../platform/http/validation.pipe.js';
import { withApplication } from './application.js';
import { called, print, UsageError } from './command.js';

export async function createFirstOrg(args: string[]): Promise<void> {
  const options = { org: { type: 'string' }, email: { type: 'string' } } as const;
  const { org, email } = parseArgs({ args, options }).values;
  if (org === undefined || email === undefined) throw new UsageError('expects --org and --email');
  const { made, file } = await withApplication(async app => ({
    made: await app.get(Bootstrap).createFirst({ org, email }),
    file: app.get(Settings).BOOTSTRAP_FILE,
  }));
  print(`Created organization "${org}" and its owner ${email}.\n`);
  if (file !== undefined) {
    print(`Access token, API key and sign-in link are in ${resolve(file)}: take them and delete it.`);
    return;
  }
  print(`Access token  ${made.accessToken}\nOrg API key   ${made.orgApiKey}`);
  print(
    '              Shown only once. Both belong to the owner and give full access to the organization.\n',
  );
  print(`Sign in with a browser, once, within a few minutes:\n\n${made.signInUrl}`);
}

/** The first owner of the oldest organization. */
const FIRST_OWNER = `SELECT u.id FROM orgs o
  JOIN org_memberships m ON m.org_id = o.id AND m.role_slug = 'owner'
  JOIN users u ON u.id = m.user_id AND u.status = 'active'
  WHERE o.deleted_at IS NULL ORDER BY o.created_at, o.id, m.joined_at LIMIT 1`;

export async function printSignInLink(args: string[]): Promise<void> {
  const { email } = parseArgs({ args, options: { email: { type: 'string' } } }).values;
  print(
    await withApplication(async app =>
      app.get(Bootstrap).signInUrl(await (email === undefined ? firstOwner(app) : userOf(app, email))),
    ),
  );
}

async function firstOwner(app: INestApplicationContext): Promise<string> {
  const [owner] = await app.get(DataSource).query(FIRST_OWNER);
  if (owner === undefined)
    throw new Error(`There is no organization yet: ${called('bootstrap')} creates the first one.`);
  return owner.id;
}

async function userOf(app: INestApplicationContext, email: string): Promise<string> {
  const user = await app.get(Users).findByEmail(email);
  if (user?.status !== 'active') throw new Error(`There is no active user with the e-mail address ${email}.`);
  return user.id;
}

/** The first owner of each organization. $1: a slug, or null for all organizations. */
const OWNERS = `SELECT DISTINCT ON (o.id) o.slug, u.id AS owner FROM orgs o
  LEFT JOIN org_memberships m ON m.org_id = o.id AND m.role_slug = 'owner'
  LEFT JOIN users u ON u.id = m.user_id AND u.status = 'active'
  WHERE o.deleted_at IS NULL AND ($1::text IS NULL OR o.slug = $1)
  ORDER BY o.id, u.id IS NULL, m.joined_at LIMIT 2`;

export async function createApiKey(args: string[]): Promise<void> {
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
}

/** The command acts for the first owner of the organization, who becomes the owner of what the key creates. */
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
        ? `There is no organization yet: ${called('bootstrap')} creates the first one.`
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

/** Reads `2027-01-31`, an ISO 8601 time, or a number of days from now such as `90d`. */
function instantOf(text: string): string {
  const days = /^(\d{1,5})d?$/.exec(text)?.[1];
  if (days !== undefined) return new Date(Date.now() + Number(days) * DAY_MS).toISOString();
  const instant = utcInstant(isCalendarDate(text) ? `${text}T00:00:00Z` : text);
  if (instant === undefined) throw new UsageError('expects --expires like 2027-01-31 or 90d');
  return instant;
}
