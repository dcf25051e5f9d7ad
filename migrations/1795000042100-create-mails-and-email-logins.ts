import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Mails that are to be sent, and sign-ins by e-mail that have begun. */
export class CreateMailsAndEmailLogins1795000042100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE mail_outbox (
        id uuid PRIMARY KEY,
        kind text NOT NULL,
        recipient_hash text NOT NULL,
        org_id uuid,
        sealed text,
        attempts integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        due_at timestamptz,
        attempted_at timestamptz,
        expires_at timestamptz NOT NULL,
        sent_at timestamptz
      );
      CREATE INDEX mail_outbox_due ON mail_outbox (due_at) WHERE due_at IS NOT NULL;
      CREATE INDEX mail_outbox_created ON mail_outbox (created_at);
      CREATE TABLE email_logins (
        id text PRIMARY KEY,
        sealed text NOT NULL,
        browser_hash text NOT NULL,
        code_hash text,
        link_hash text UNIQUE,
        tries integer NOT NULL DEFAULT 0,
        decided_at timestamptz,
        used_at timestamptz,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX email_logins_expiry ON email_logins (expires_at);
      CREATE INDEX email_logins_undecided ON email_logins (created_at) WHERE decided_at IS NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE email_logins; DROP TABLE mail_outbox');
  }
}
