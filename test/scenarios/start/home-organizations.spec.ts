import { expect, it } from 'vitest';
import { migrate, migrateDown } from '../../../src/platform/database/migrate.js';
import { startOwnApp } from '../../harness/app.js';
import { person } from '../auth/person.js';
import { join, newInvite } from '../invites/invite.js';
import { enter, newOrg } from '../orgs/org.js';
import { newJoiner } from '../passkeys/site.js';

const MIGRATION = 'RememberHomeOrganizations1795000030700';

it('gives an existing account the organization that has created it, and no other one', async () => {
  const app = await startOwnApp({ database: 'own' });
  const url = app.settings.DATABASE_URL as string;
  const [org, other] = [await newOrg(app), await newOrg(app)];
  const joiner = await newJoiner(app, org);
  const linked = await newJoiner(app, org);
  await app.sql('INSERT INTO federated_identities VALUES ($1, $2, $3, $4)', [
    ...['file:google', 'https://accounts.example', 'sub'],
    linked.userId,
  ]);
  const inBoth = await newJoiner(app, org);
  await join(app, inBoth, (await newInvite(app, other)).code);
  const earlier = await person(app);
  await app.sql(`UPDATE users SET created_at = created_at - interval '1 hour' WHERE id = $1`, [
    earlier.userId,
  ]);
  await enter(app, org, earlier);
  const found = () => app.sql('SELECT id, home_org_id FROM users WHERE home_org_id IS NOT NULL');
  const homes = async () =>
    Object.fromEntries((await found()).map(({ id, home_org_id }) => [id, home_org_id]));
  const { userId: firstOwner } = app.bootstrap;
  const before = await homes();
  expect(before).toMatchObject({ [joiner.userId]: org.id, [firstOwner]: expect.any(String) });

  while ((await migrateDown(url)) !== MIGRATION);
  await migrate(url);
  const after = await homes();
  expect(after).toMatchObject({ [joiner.userId]: org.id, [firstOwner]: before[firstOwner] });
  for (const { userId } of [linked, inBoth, earlier]) expect(after).not.toHaveProperty(userId);
  await app.close();
});
