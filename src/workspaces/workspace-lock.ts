import type { EntityManager } from 'typeorm';
import { PlatformError } from '../kernel/errors.js';
import { Workspace } from './workspace.entity.js';

/** The workspace as it is now, locked: changes of it and of who may do what in it come one after another. */
export async function lockWorkspace(manager: EntityManager, id: string): Promise<Workspace> {
  const lock = { mode: 'pessimistic_write' } as const;
  const workspace = await manager.findOne(Workspace, { where: { id }, lock });
  if (workspace === null) throw new PlatformError('NotFound', 'There is no such workspace.');
  return workspace;
}
