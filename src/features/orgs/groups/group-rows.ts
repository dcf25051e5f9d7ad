import { ApiProperty } from '@nestjs/swagger';
import type { Queryable } from '../../../platform/database/queryable.js';
import { NestedField, TextField } from '../../../platform/http/field.decorators.js';
import { offsetOf, type Page, type ResultList } from '../../../platform/http/list-page.js';
import { ADDRESS_COUNTS } from '../members/membership.entity.js';
import { IdField, NameField, SlugField } from '../right.fields.js';

export class CreateGroupBody {
  @SlugField({
    description: 'Unique in the organization. Access bindings use `orgSlug:groupSlug`.',
    example: 'editors',
  })
  slug: string;

  @NameField({ example: 'Editors' })
  name: string;
}

export class UpdateGroupBody {
  @NameField({ optional: true, example: 'Chief editors' })
  name?: string;
}

class GroupMemberBody {
  @IdField({ optional: true, description: 'Id of the user. Send either this or `email`.' })
  userId?: string;

  @TextField({
    optional: true,
    max: 320,
    description: 'E-mail address of the user. Send either this or `id`.',
    example: 'owner@localhost',
  })
  email?: string;
}

export class AddGroupMembersBody {
  @NestedField(() => GroupMemberBody, {
    list: true,
    min: 1,
    description: 'Members of the organization to add. Either all are added or none.',
    example: [{ email: 'owner@localhost' }],
  })
  users: GroupMemberBody[];
}

export class GroupView {
  @ApiProperty({ example: 'editors' }) slug: string;
  @ApiProperty({ example: 'Editors' }) name: string;
  @ApiProperty({ type: 'integer', description: 'Number of members.' }) memberCount: number;
  @ApiProperty({ format: 'date-time' }) createdAt: Date;
}

export class GroupListView {
  @ApiProperty({ type: [GroupView] }) results: GroupView[];
  @ApiProperty() total: number;
}

export class GroupMemberView {
  @ApiProperty({ format: 'uuid' }) userId: string;
  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' }) email: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'Ada' }) firstName: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'Lovelace' }) lastName: string | null;
}

export class GroupMemberListView {
  @ApiProperty({ type: [GroupMemberView] }) results: GroupMemberView[];
  @ApiProperty() total: number;
}

const SELECT_GROUPS = `
  SELECT g.slug, g.name, g.created_at AS "createdAt",
    (SELECT count(*)::int FROM org_group_members m WHERE m.org_id = g.org_id AND m.group_slug = g.slug) AS "memberCount"
  FROM org_groups g WHERE g.org_id = $1`;

/** A page of the groups, ordered by slug. */
export async function groupPage(
  database: Queryable,
  orgId: string,
  page: Page,
): Promise<ResultList<GroupView>> {
  const [{ total }] = await database.query(
    'SELECT count(*)::int AS total FROM org_groups WHERE org_id = $1',
    [orgId],
  );
  const results = await database.query(`${SELECT_GROUPS} ORDER BY g.slug COLLATE "C" LIMIT $2 OFFSET $3`, [
    orgId,
    page.limit,
    offsetOf(page),
  ]);
  return { results, total };
}

export async function findGroup(
  database: Queryable,
  orgId: string,
  slug: string,
): Promise<GroupView | undefined> {
  const [group] = await database.query(`${SELECT_GROUPS} AND g.slug = $2`, [orgId, slug]);
  return group;
}

const SELECT_MEMBERS = `
  SELECT u.id AS "userId", u.email, u.first_name AS "firstName", u.last_name AS "lastName"
  FROM org_group_members m JOIN users u ON u.id = m.user_id
  WHERE m.org_id = $1 AND m.group_slug = $2`;

/** A page of the group's members, ordered by id, which is the order in which their accounts were created. */
export async function groupMemberPage(
  database: Queryable,
  orgId: string,
  slug: string,
  page: Page,
): Promise<ResultList<GroupMemberView>> {
  const [{ total }] = await database.query(
    'SELECT count(*)::int AS total FROM org_group_members WHERE org_id = $1 AND group_slug = $2',
    [orgId, slug],
  );
  const results = await database.query(`${SELECT_MEMBERS} ORDER BY u.id LIMIT $3 OFFSET $4`, [
    orgId,
    slug,
    page.limit,
    offsetOf(page),
  ]);
  return { results, total };
}

/** Those of these users who are in the group. */
export function groupMembersAmong(
  database: Queryable,
  orgId: string,
  slug: string,
  userIds: readonly string[],
): Promise<GroupMemberView[]> {
  return database.query(`${SELECT_MEMBERS} AND u.id = ANY ($3) ORDER BY u.id`, [orgId, slug, userIds]);
}

/**
 * The ids of the named users in the same order; null for a user who is not a member of the organization, and for an
 * address that does not count.
 */
export async function memberIds(
  database: Queryable,
  orgId: string,
  users: readonly { readonly userId?: string; readonly email?: string }[],
): Promise<(string | null)[]> {
  const rows: { id: string | null }[] = await database.query(
    `SELECT m.user_id AS id
     FROM unnest($2::uuid[], $3::text[]) WITH ORDINALITY AS wanted (id, email, position)
     LEFT JOIN users u ON u.id = wanted.id OR lower(u.email) = lower(wanted.email)
     LEFT JOIN org_memberships m ON m.org_id = $1 AND m.user_id = u.id
       AND (u.id = wanted.id OR ${ADDRESS_COUNTS})
     ORDER BY wanted.position`,
    [orgId, users.map(({ userId }) => userId ?? null), users.map(({ email }) => email ?? null)],
  );
  return rows.map(({ id }) => id);
}

/** Adds members to the group; returns the ids of those who were not in it before. */
export async function joinGroup(
  database: Queryable,
  orgId: string,
  slug: string,
  userIds: readonly string[],
): Promise<string[]> {
  const rows: { user_id: string }[] = await database.query(
    `INSERT INTO org_group_members (org_id, group_slug, user_id) SELECT $1, $2, unnest($3::uuid[])
     ON CONFLICT DO NOTHING RETURNING user_id`,
    [orgId, slug, userIds],
  );
  return rows.map(({ user_id }) => user_id);
}

/** Removes one member or all of them; returns the ids of those who were removed. */
export async function leaveGroup(
  database: Queryable,
  orgId: string,
  slug: string,
  userId?: string,
): Promise<string[]> {
  const [rows]: [{ user_id: string }[]] = await database.query(
    `DELETE FROM org_group_members WHERE org_id = $1 AND group_slug = $2 AND ($3::uuid IS NULL OR user_id = $3)
     RETURNING user_id`,
    [orgId, slug, userId ?? null],
  );
  return rows.map(({ user_id }) => user_id);
}
