import type { Access } from '../collections/collection-access.js';
import type { Queryable } from '../database/queryable.js';
import { offsetOf, type Page } from '../kernel/page.js';
import type { AccessBindingView } from './access.dto.js';
import { type BoundPrincipal, principalId } from './bound-principal.js';

interface AccessRow {
  readonly principal_type: string;
  readonly user_id: string | null;
  readonly group_slug: string | null;
  readonly role: string;
  readonly email: string | null;
}

/** The owner, who has no binding, and the bindings of collection $1. */
const SELECT_ACCESS = `
  SELECT a.principal_type, a.user_id, a.group_slug, a.role, u.email FROM (
    SELECT 0 AS position, id, owner_type AS principal_type, owner_id AS user_id, NULL AS group_slug, 'owner' AS role
    FROM collections WHERE id = $1
    UNION ALL
    SELECT 1, id, principal_type, user_id, group_slug, role FROM collection_bindings WHERE collection_id = $1
  ) a LEFT JOIN users u ON a.principal_type = 'user' AND u.id = a.user_id`;

/** The owner first, then in the order of granting. */
export async function accessPage(
  database: Queryable,
  { collection, membership }: Access,
  page: Page,
): Promise<AccessBindingView[]> {
  const rows: AccessRow[] = await database.query(
    `${SELECT_ACCESS} ORDER BY a.position, a.id LIMIT $2 OFFSET $3`,
    [collection.id, page.limit, offsetOf(page)],
  );
  return rows.map(row => viewOf(collection.id, membership.orgSlug, row));
}

/** The owner's access. */
export async function ownerAccess(database: Queryable, access: Access): Promise<AccessBindingView> {
  const [owner] = await accessPage(database, access, { page: 1, limit: 1 });
  return owner as AccessBindingView;
}

/** The binding of one principal; undefined when it has none. */
export async function boundAccess(
  database: Queryable,
  { collection, membership }: Access,
  { principalType, userId, groupSlug }: BoundPrincipal,
): Promise<AccessBindingView | undefined> {
  const [row]: AccessRow[] = await database.query(
    `${SELECT_ACCESS} WHERE a.position = 1 AND a.principal_type = $2
       AND a.user_id IS NOT DISTINCT FROM $3::uuid AND a.group_slug IS NOT DISTINCT FROM $4::text`,
    [collection.id, principalType, userId, groupSlug],
  );
  return row && viewOf(collection.id, membership.orgSlug, row);
}

function viewOf(collectionId: string, orgSlug: string, row: AccessRow): AccessBindingView {
  return {
    object: 'collection.access',
    collection_id: collectionId,
    principal_type: row.principal_type,
    principal_id: principalId(orgSlug, { userId: row.user_id, groupSlug: row.group_slug }),
    role: row.role,
    ...(row.email !== null && { email: row.email }),
  };
}
