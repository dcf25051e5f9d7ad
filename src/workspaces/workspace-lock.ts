import type { EntityManager } from 'typeorm';
import { PlatformError } from '../kernel/errors.js';
import { lockOrg } from '../orgs/org-lock.js';
import { Workspace } from './workspace.entity.js';

/**
 * The workspace as it is now, locked: changes of it and of who may do what in it come one after another. The
 * organization comes first, as in its deletion.
 */
export async function lockWorkspace(
  manager: EntityManager,
  { id, orgId }: Pick<Workspace, 'id' | 'orgId'>,
): Promise<Workspace> {
  await lockOrg(manager, orgId, 'keep');
  const lock = { mode: 'pessimistic_write' } as const;
  const workspace = await manager.findOne(Workspace, { where: { id }, lock });
  if (workspace === null) throw new PlatformError('NotFound', 'There is no such workspace.');
  return workspace;
}
