import type { Repository, SelectQueryBuilder } from 'typeorm';
import { PlatformError } from '../kernel/errors.js';
import { offsetOf, type Page } from '../kernel/page.js';
import type { Membership, Principal } from '../kernel/principal.js';
import type { Collection } from './collection.entity.js';

export type ListScope = 'owned' | 'shared' | 'all';

/** A page of the collections of one organization that a principal can see, newest last, and how many there are. */
export function visibleCollections(
  collections: Repository<Collection>,
  principal: Principal,
  membership: Membership,
  { scope, ...page }: Page & { scope: ListScope },
): Promise<[Collection[], number]> {
  if (principal.collectionId !== undefined) {
    throw new PlatformError('Forbidden', 'A collection key reaches its own collection only.');
  }
  const query = collections.createQueryBuilder('c').where('c.orgId = :orgId', { orgId: membership.orgId });
  narrowToScopes(query, membership);
  narrowTo(scope, query, principal, membership);
  return query.orderBy('c.id').offset(offsetOf(page)).limit(page.limit).getManyAndCount();
}

const OWNED = 'c.ownerType = :type AND c.ownerId = :id';
const GUEST = `:type = 'agent' AND :id = ANY(c.agentIds)`;

function narrowTo(
  scope: ListScope,
  query: SelectQueryBuilder<Collection>,
  principal: Principal,
  membership: Membership,
): void {
  const actsForOrg = principal.type === 'key' || principal.type === 'service-account';
  if (actsForOrg) {
    // Nobody owns the key: all that the organization has counts as its own, and nothing is shared with it.
    if (scope === 'shared') query.andWhere('false');
    return;
  }
  const seesAll = principal.type === 'user' && (membership.role === 'owner' || membership.role === 'admin');
  const shared = seesAll ? `NOT (${OWNED})` : `(${GUEST}) AND NOT (${OWNED})`;
  const conditions = { owned: OWNED, shared, all: `(${OWNED}) OR (${shared})` };
  query.andWhere(`(${conditions[scope]})`, { type: principal.type, id: principal.id });
}

/** Scopes like `collections:<id>` narrow a key to some of the organization's collections. */
function narrowToScopes(query: SelectQueryBuilder<Collection>, { scopes }: Membership): void {
  if (scopes.length === 0 || scopes.includes('*') || scopes.includes('collections:*')) return;
  const ids = scopes
    .filter(scope => scope.startsWith('collections:'))
    .map(scope => scope.slice('collections:'.length));
  query.andWhere('c.id::text = ANY(:ids)', { ids });
}
