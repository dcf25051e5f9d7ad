import { keptAnswers } from '../../idempotency/kept-answer.js';

/** A column of texts that `Secrets.encrypt` made, and SQL of what each of them is bound to. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  readonly associated: string;
  /** Of which rows; all that are not null, if absent. */
  readonly where?: string;
}

/** Every such column of the platform's tables. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'signing_keys', column: 'sealed_private_jwk', associated: `kid || '.' || algorithm` },
  { table: 'sso_providers', column: 'sealed_secret', associated: `'sso-provider:' || id` },
  { table: 'webhooks', column: 'sealed_secret', associated: `'webhook:' || id` },
  { table: 'webhooks', column: 'sealed_previous_secret', associated: `'webhook:' || id` },
  { table: 'oidc_payloads', column: 'payload', associated: `'oidc.' || id_hash` },
  { table: 'audit_keys', column: 'sealed_private_jwk', associated: `'audit-key.' || kid` },
  { table: 'master_keys', column: 'sealed_pepper', associated: `'master-key.' || name` },
];

/** Those in the schema of an organization. */
export function sealedColumnsOf(orgId: string): readonly SealedColumn[] {
  const associated = `'answer ${orgId} ' || caller || ' ' || key`;
  return [{ table: keptAnswers(orgId), column: 'answer', associated, where: 'sealed' }];
}
