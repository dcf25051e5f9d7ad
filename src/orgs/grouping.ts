import type { Queryable } from '../database/queryable.js';
import type { Call } from '../kernel/call.js';
import { invalid, PlatformError } from '../kernel/errors.js';
import { holds, type Membership } from '../kernel/principal.js';

/** Letting people into groups gives them what is shared with these: 403 without the permission, 400 for unknown ones. */
export async function assertMayGroup(
  database: Queryable,
  { principal }: Call,
  membership: Membership,
  groups: readonly string[],
): Promise<void> {
  if (groups.length === 0) return;
  if (!holds(principal, membership, 'orgs:groups:manage')) {
    throw new PlatformError(
      'Forbidden',
      'Groups need the permission orgs:groups:manage in the organization.',
    );
  }
  const missing: { slug: string }[] = await database.query(
    'SELECT unnest($2::text[]) AS slug EXCEPT SELECT slug FROM org_groups WHERE org_id = $1 ORDER BY slug',
    [membership.orgId, groups],
  );
  if (missing.length > 0) {
    throw invalid(`groups: the organization has no group ${missing.map(({ slug }) => slug).join(', ')}.`);
  }
}
