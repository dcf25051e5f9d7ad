import { expect, it } from 'vitest';
import { migrate, migrateDown } from '../../../src/platform/database/migrate.js';
import { startOwnApp, type TestRequest } from '../../harness/app.js';
import { person } from '../auth/person.js';
import { join, newInvite } from '../invites/invite.js';
import { newKey, newMember, newOrg, newSlug } from '../orgs/org.js';

const MIGRATION = 'BindInvitesToTheirMakers1795000030710';

it('finds in the audit log who made and who used the invitations that exist', async () => {
  const app = await startOwnApp({ database: 'own' });
  const url = app.settings.DATABASE_URL as string;
  const org = await newOrg(app);
  const invite = async (caller: Pick<TestRequest, 'token' | 'key' | 'headers'>) => {
    const body = { roleSlug: 'member', maxUses: 9 };
    return (await app.request('POST', `${org.path}/invites`, { ...caller, body })).body.code;
  };
  const remove = ({ userId }: { userId: string }) =>
    app.request('DELETE', `${org.path}/members/${userId}`, { token: org.owner.token });
  const joins = async (code: string) => (await join(app, await person(app), code)).status;

  const admin = await newMember(app, org, 'admin');
  const agent = await app.request('POST', `${org.path}/agents`, {
    token: org.owner.token,
    body: { slug: newSlug(), name: 'Importer' },
  });
  const byAgent = await invite({ token: admin.token, headers: { 'x-platform-agent-id': agent.body.id } });
  const key = await newKey(app, org);
  const byKey = await invite({ key: key.apiKey });
  const byPerson = await newInvite(app, org, { maxUses: 9 });
  const removed = await person(app);
  await join(app, removed, byPerson.code);
  await remove(removed);

  while ((await migrateDown(url)) !== MIGRATION);
  await app.sql('UPDATE org_invites SET invited_by = NULL WHERE invited_by = $1', [admin.userId]);
  await migrate(url);

  expect((await join(app, removed, byPerson.code)).status).toBe(404);
  expect([await joins(byPerson.code), await joins(byAgent), await joins(byKey)]).toEqual([201, 201, 201]);
  await remove(admin);
  await app.request('DELETE', `${org.path}/api-keys/${key.id}`, { token: org.owner.token });
  expect([await joins(byPerson.code), await joins(byAgent), await joins(byKey)]).toEqual([201, 404, 404]);
  await app.close();
});
