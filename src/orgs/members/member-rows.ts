import type { Queryable } from '../../database/queryable.js';
import { offsetOf, type Page } from '../../kernel/page.js';
import type { ResultList } from '../platform.view.js';
import type { MemberView } from './member.dto.js';

const SELECT_MEMBERS = `
  SELECT u.id AS "userId", u.email, u.first_name AS "firstName", u.last_name AS "lastName", u.status,
    m.role_slug AS "roleSlug", m.joined_at AS "joinedAt",
    ARRAY(SELECT g.group_slug FROM org_group_members g
      WHERE g.org_id = m.org_id AND g.user_id = m.user_id ORDER BY g.group_slug) AS groups
  FROM org_memberships m JOIN users u ON u.id = m.user_id
  WHERE m.org_id = $1`;

/** A page of the members, in the order in which they joined. */
export async function memberPage(
  database: Queryable,
  orgId: string,
  page: Page,
): Promise<ResultList<MemberView>> {
  const [{ total }] = await database.query(
    'SELECT count(*)::int AS total FROM org_memberships WHERE org_id = $1',
    [orgId],
  );
  const results = await database.query(
    `${SELECT_MEMBERS} ORDER BY m.joined_at, m.user_id LIMIT $2 OFFSET $3`,
    [orgId, page.limit, offsetOf(page)],
  );
  return { results, total };
}

/** Those of these users who are members, in the order in which they joined. */
export function membersAmong(
  database: Queryable,
  orgId: string,
  userIds: readonly string[],
): Promise<MemberView[]> {
  return database.query(`${SELECT_MEMBERS} AND m.user_id = ANY ($2) ORDER BY m.joined_at, m.user_id`, [
    orgId,
    userIds,
  ]);
}

/** Sets the groups of a member; returns the slugs that do not exist. */
export async function replaceGroups(
  database: Queryable,
  orgId: string,
  userId: string,
  groups: readonly string[],
): Promise<string[]> {
  await database.query('DELETE FROM org_group_members WHERE org_id = $1 AND user_id = $2', [orgId, userId]);
  await database.query(
    `INSERT INTO org_group_members (org_id, group_slug, user_id)
     SELECT org_id, slug, $2 FROM org_groups WHERE org_id = $1 AND slug = ANY ($3)`,
    [orgId, userId, groups],
  );
  const missing = await database.query(
    `SELECT wanted.slug FROM unnest($2::text[]) AS wanted (slug)
     WHERE NOT EXISTS (SELECT 1 FROM org_groups g WHERE g.org_id = $1 AND g.slug = wanted.slug)`,
    [orgId, groups],
  );
  return missing.map(({ slug }: { slug: string }) => slug);
}
