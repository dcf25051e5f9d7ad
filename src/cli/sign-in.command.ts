import { parseArgs } from 'node:util';
import type { INestApplicationContext } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Bootstrap } from '../app.bootstrap.js';
import { Users } from '../identity/users.service.js';
import { withApplication } from './application.js';
import { type Command, print } from './command.js';

/** Of the organization that has been there longest, the owner who has. */
const FIRST_OWNER = `SELECT u.id FROM orgs o
  JOIN org_memberships m ON m.org_id = o.id AND m.role_slug = 'owner'
  JOIN users u ON u.id = m.user_id AND u.status = 'active'
  WHERE o.deleted_at IS NULL ORDER BY o.created_at, o.id, m.joined_at LIMIT 1`;

export const signInCommand: Command = {
  name: 'sign-in',
  usage: '[--email <address>]',
  summary: 'print a new one-time sign-in link for the first owner, or for the user with that address',
  async run(args) {
    const { email } = parseArgs({ args, options: { email: { type: 'string' } } }).values;
    print(
      await withApplication(async app =>
        app.get(Bootstrap).signInUrl(await (email === undefined ? firstOwner(app) : userOf(app, email))),
      ),
    );
  },
};

async function firstOwner(app: INestApplicationContext): Promise<string> {
  const [owner] = await app.get(DataSource).query(FIRST_OWNER);
  if (owner === undefined)
    throw new Error('There is no organization yet: npm run cli -- bootstrap creates the first one.');
  return owner.id;
}

async function userOf(app: INestApplicationContext, email: string): Promise<string> {
  const user = await app.get(Users).findByEmail(email);
  if (user?.status !== 'active') throw new Error(`There is no active user with the e-mail address ${email}.`);
  return user.id;
}
