import type { Queryable } from '../../database/queryable.js';
import { offsetOf, type Page } from '../../kernel/page.js';
import type { ResultList } from '../../orgs/result-list.js';
import type { CollaboratorTargetBody } from './collaborator.dto.js';
import type { CollaboratorView } from './collaborator.view.js';

const SELECT = `
  SELECT json_build_object('id', u.id, 'email', u.email) AS target, c.role, c.created_at AS "createdAt"
  FROM workspace_collaborators c JOIN users u ON u.id = c.user_id WHERE c.workspace_id = $1`;

/** Who works in the workspace, in the order in which they came. */
export async function collaboratorPage(
  database: Queryable,
  workspaceId: string,
  page: Page,
): Promise<ResultList<CollaboratorView>> {
  const [{ total }] = await database.query(
    'SELECT count(*)::int AS total FROM workspace_collaborators WHERE workspace_id = $1',
    [workspaceId],
  );
  const results = await database.query(`${SELECT} ORDER BY c.created_at, c.user_id LIMIT $2 OFFSET $3`, [
    workspaceId,
    page.limit,
    offsetOf(page),
  ]);
  return { results, total };
}

export async function collaborator(
  database: Queryable,
  workspaceId: string,
  userId: string,
): Promise<CollaboratorView | undefined> {
  const [found] = await database.query(`${SELECT} AND c.user_id = $2`, [workspaceId, userId]);
  return found;
}

/** The member of the organization that is meant; undefined for everyone else, whoever they are. */
export async function memberMeant(
  database: Queryable,
  orgId: string,
  { id, email }: CollaboratorTargetBody,
): Promise<string | undefined> {
  const [member] = await database.query(
    `SELECT u.id FROM org_memberships m JOIN users u ON u.id = m.user_id AND u.status = 'active'
     WHERE m.org_id = $1 AND (u.id = $2 OR lower(u.email) = lower($3)) FOR KEY SHARE OF m`,
    [orgId, id ?? null, email ?? null],
  );
  return member?.id;
}
