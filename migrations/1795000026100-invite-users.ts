import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An invitation may be for an existing user, given by id. Users accept it in the same way as people invited by
 * e-mail.
 */
export class InviteUsers1795000026100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE org_invites ADD COLUMN user_id uuid REFERENCES users ON DELETE CASCADE');
    await dropCheck(runner, '%code_hash%');
    await runner.query(`
      ALTER TABLE org_invites
        ADD CONSTRAINT org_invites_for_somebody CHECK (num_nonnulls(code_hash, email, user_id) > 0),
        ADD CONSTRAINT org_invites_user_once CHECK (user_id IS NULL OR max_uses = 1);
      CREATE UNIQUE INDEX org_invites_open_user ON org_invites (user_id, org_id) WHERE uses = 0;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM org_invites WHERE user_id IS NOT NULL;
      ALTER TABLE org_invites DROP COLUMN user_id, DROP CONSTRAINT IF EXISTS org_invites_for_somebody;
      ALTER TABLE org_invites ADD CHECK (code_hash IS NOT NULL OR email IS NOT NULL);
    `);
  }
}

/** The name that PostgreSQL gave the constraint. */
async function dropCheck(runner: QueryRunner, about: string): Promise<void> {
  const found: { name: string }[] = await runner.query(
    `SELECT quote_ident(conname) AS name FROM pg_constraint
     WHERE conrelid = 'org_invites'::regclass AND contype = 'c' AND pg_get_constraintdef(oid) LIKE $1`,
    [about],
  );
  for (const { name } of found) await runner.query(`ALTER TABLE org_invites DROP CONSTRAINT ${name}`);
}
