import type { MigrationInterface, QueryRunner } from 'typeorm';

interface Invite {
  readonly id: string;
  readonly schema: string;
}

interface Event {
  readonly invite: string;
  readonly type: string;
  readonly actor: { readonly type: string; readonly id: string; readonly actingUserId?: string };
}

/**
 * The credential with which an invitation or a recovery link was made, and the rights that its maker held: what it
 * grants ends with both. The people who used an invitation: nobody uses it twice. For existing invitations both come
 * from the audit log. An invitation whose maker is not in it any more cannot be used. Existing recovery links end.
 * Reading the log may take long, so nothing is locked meanwhile, and every step can be repeated.
 */
export class BindInvitesToTheirMakers1795000030710 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE org_invites
        ADD COLUMN IF NOT EXISTS made_with uuid,
        ADD COLUMN IF NOT EXISTS held_permissions text[],
        ADD COLUMN IF NOT EXISTS held_scopes text[];
      ALTER TABLE recovery_links
        ADD COLUMN IF NOT EXISTS made_with uuid,
        ADD COLUMN IF NOT EXISTS held_permissions text[],
        ADD COLUMN IF NOT EXISTS held_scopes text[];
      DELETE FROM recovery_links WHERE held_permissions IS NULL;

      CREATE TABLE IF NOT EXISTS org_invite_uses (
        invite_id uuid REFERENCES org_invites ON DELETE CASCADE,
        user_id uuid REFERENCES users ON DELETE CASCADE,
        PRIMARY KEY (invite_id, user_id)
      );
      CREATE INDEX IF NOT EXISTS org_invite_uses_user ON org_invite_uses (user_id);
    `);
    const invites: Invite[] = await runner.query(`
      SELECT id, 'org_' || replace(org_id::text, '-', '') AS schema FROM org_invites
      WHERE uses < max_uses AND (invited_by IS NULL OR uses > 0)`);
    for (const schema of new Set(invites.map(each => each.schema))) {
      const ids = invites.filter(each => each.schema === schema).map(({ id }) => id);
      const events: Event[] = await runner.query(
        `SELECT target->>'id' AS invite, type, actor FROM "${schema}".audit_events
         WHERE type IN ('orgs.invites.created', 'orgs.invites.accepted') AND target->>'id' = ANY ($1)`,
        [ids],
      );
      await recordUses(
        runner,
        events.filter(({ type }) => type === 'orgs.invites.accepted'),
      );
      for (const event of events.filter(({ type }) => type === 'orgs.invites.created')) {
        await recordMaker(runner, event);
      }
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE IF EXISTS org_invite_uses;
      ALTER TABLE recovery_links DROP COLUMN IF EXISTS made_with, DROP COLUMN IF EXISTS held_permissions,
        DROP COLUMN IF EXISTS held_scopes;
      ALTER TABLE org_invites DROP COLUMN IF EXISTS made_with, DROP COLUMN IF EXISTS held_permissions,
        DROP COLUMN IF EXISTS held_scopes;
    `);
  }
}

/** Ids are compared as text, because the actor of a job or a command has no UUID. */
async function recordUses(runner: QueryRunner, events: readonly Event[]): Promise<void> {
  await runner.query(
    `INSERT INTO org_invite_uses (invite_id, user_id)
     SELECT used.invite, u.id FROM unnest($1::uuid[], $2::text[]) AS used (invite, person)
     JOIN users u ON u.id::text = used.person
     ON CONFLICT DO NOTHING`,
    [events.map(({ invite }) => invite), events.map(({ actor }) => actor.id)],
  );
}

/** A person stays the inviter. Others are named by the credential and, for an agent, by the person who acted. */
async function recordMaker(runner: QueryRunner, { invite, actor }: Event): Promise<void> {
  await runner.query(
    `UPDATE org_invites SET
       invited_by = (SELECT id FROM users WHERE id::text = $3),
       made_with = (SELECT id FROM (
         SELECT id FROM org_api_keys UNION ALL SELECT id FROM service_accounts UNION ALL SELECT id FROM agents
       ) credentials WHERE id::text = $2)
     WHERE id = $1 AND invited_by IS NULL`,
    [invite, actor.id, actor.actingUserId ?? null],
  );
}
