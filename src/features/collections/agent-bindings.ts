import type { EntityManager } from 'typeorm';
import { newId } from '../../base/kernel/id.js';
import type { Collection } from './collection.entity.js';
import {
  BINDINGS,
  type Bindings,
  type BoundGrant,
  boundAgents,
  CollectionBinding,
} from './collection-binding.entity.js';

/** The bindings of a collection, as the transaction sees them. */
export async function boundTo(manager: EntityManager, collectionId: string): Promise<Bindings> {
  const [row]: { bindings: [string, BoundGrant][] | null }[] = await manager.query(
    `SELECT ${BINDINGS} AS bindings FROM collections c WHERE c.id = $1`,
    [collectionId],
  );
  return new Map(row?.bindings ?? []);
}

/**
 * Locks agents, so that they stay until the transaction ends. They are locked before the collection, in the same order as
 * when an agent is deleted.
 */
export async function keepAgents(manager: EntityManager, ids: readonly string[]): Promise<void> {
  await manager.query('SELECT FROM agents WHERE id = ANY ($1) ORDER BY id FOR KEY SHARE', [ids]);
}

/**
 * Makes these agents the ones that have a binding. Added ones become editors, bindings of others are deleted, and those
 * that stay keep theirs. Returns the version of the collection, which a trigger raises.
 */
export async function bindAgents(
  manager: EntityManager,
  { id: collectionId, orgId, version }: Collection,
  ids: readonly string[],
  now: Date,
): Promise<number> {
  const before = boundAgents(await boundTo(manager, collectionId));
  const removed = before.filter(id => !ids.includes(id));
  const added = ids.filter(id => !before.includes(id));
  if (removed.length === 0 && added.length === 0) return version;
  if (removed.length > 0) {
    await manager.query('DELETE FROM collection_bindings WHERE collection_id = $1 AND agent_id = ANY ($2)', [
      collectionId,
      removed,
    ]);
  }
  const whose = { principalType: 'agent', userId: null, groupSlug: null } as const;
  const parts = { rules: null, fields: null, limits: null };
  const drafts = added.map(agentId => ({
    ...{ id: newId(), collectionId, orgId, ...whose, agentId, ...parts },
    ...{ role: 'editor' as const, createdAt: now },
  }));
  if (drafts.length > 0) await manager.insert(CollectionBinding, drafts);
  const [row] = await manager.query('SELECT version FROM collections WHERE id = $1', [collectionId]);
  return Number(row.version);
}
