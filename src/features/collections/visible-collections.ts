import type { Repository, SelectQueryBuilder } from 'typeorm';
import { PlatformError } from '../../base/kernel/errors.js';
import type { Membership, Principal } from '../../base/kernel/principal.js';
import { offsetOf, type Page } from '../../platform/http/list-page.js';
import { type BoundCollection, boundCollections, type Collection, selectBound } from './collection.entity.js';
import { sharedWith } from './collection-role.js';

type ListScope = 'owned' | 'shared' | 'all';

/** Orders of a list; `-` begins with the last. */
export const LIST_ORDERS = [
  'name',
  'created_at',
  'updated_at',
  '-name',
  '-created_at',
  '-updated_at',
] as const;
export type ListOrder = (typeof LIST_ORDERS)[number];

/** In brackets, because TypeORM leaves out a second selection of the same text. */
const BY_ID = '(c.id)';

/** SQL that the list is ordered by. Names sort by code point, whatever the collation of the database is. */
const ORDERED_BY = { name: 'c.name COLLATE "C"', created_at: 'c.created_at', updated_at: 'c.updated_at' };

/** Which collections to list, and in which order; without one the newest is last. */
interface ListedCollections extends Page {
  readonly scope: ListScope;
  /** Part of the name or the description. */
  readonly q?: string | undefined;
  readonly sort?: ListOrder | undefined;
}

/**
 * A page of the collections of one organization that a principal can see, and their total number. One statement reads
 * both, so that they are consistent. A page after the last one has no row for the total, so it needs a second statement.
 */
export async function visibleCollections(
  collections: Repository<Collection>,
  principal: Principal,
  membership: Membership,
  { scope, q, sort, ...page }: ListedCollections,
): Promise<[BoundCollection[], number]> {
  if (principal.collectionId !== undefined) {
    throw new PlatformError('Forbidden', 'An API key of a collection can access only its own collection.');
  }
  const query = collections.createQueryBuilder('c').where('c.orgId = :orgId', { orgId: membership.orgId });
  narrowToScopes(query, membership);
  narrowTo(scope, query, principal, membership);
  if (q) narrowToText(query, q);
  return pageAndTotal(query, orderOf(sort), page);
}

/** What a list is ordered by. Equal values are ordered by id, in the same direction. */
interface Order {
  /** SQL; an index of `collections` should begin with it after the organization. */
  readonly key: string;
  readonly direction: 'ASC' | 'DESC';
}

/**
 * A page of the collections that a query finds, and their total number. The ids of the page and the number are selected
 * apart from each other, so that an index can serve both. Only the collections of the page are read in full.
 */
async function pageAndTotal(
  query: SelectQueryBuilder<Collection>,
  { key, direction }: Order,
  page: Page,
): Promise<[BoundCollection[], number]> {
  const ordered = (each: SelectQueryBuilder<Collection>, by: string) =>
    each.addSelect(by, 'sort_key').orderBy('sort_key', direction).addOrderBy('c.id', direction);
  const ids = ordered(query.clone().select('c.id', 'id'), key).offset(offsetOf(page)).limit(page.limit);
  const total = query.clone().select('count(*)');
  const found = await ordered(selectBound(query.clone()), 'p.sort_key')
    .innerJoin(`(${ids.getQuery()})`, 'p', 'p.id = c.id')
    .addSelect(`(${total.getQuery()})`, 'total')
    .getRawAndEntities();
  if (found.raw.length > 0) return [boundCollections(found), Number(found.raw[0].total)];
  return [[], page.page === 1 ? 0 : await query.getCount()];
}

/** A page of the collections that a query finds, the last deleted one first, and their total number. */
export function deletedCollections(
  query: SelectQueryBuilder<Collection>,
  page: Page,
): Promise<[BoundCollection[], number]> {
  return pageAndTotal(query, { key: 'c.deletedAt', direction: 'DESC' }, page);
}

/**
 * Narrows a query to the collections of the organization that a principal may delete: its own ones; all of them for an
 * owner of the organization and for a principal that acts for it.
 */
export function narrowToDeletable(
  query: SelectQueryBuilder<Collection>,
  principal: Principal,
  membership: Membership,
): void {
  query.andWhere('c.orgId = :orgId', { orgId: membership.orgId });
  narrowToScopes(query, membership);
  if (principal.type === 'user' && membership.role === 'owner') return;
  narrowTo('owned', query, principal, membership);
}

/** Collections whose name or description contains the text. Case folding follows Unicode, as for `$search`. */
function narrowToText(query: SelectQueryBuilder<Collection>, text: string): void {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  query.andWhere(
    '(c.name ILIKE :pattern OR c.description COLLATE "und-x-icu" ILIKE :pattern COLLATE "und-x-icu")',
    { pattern },
  );
}

function orderOf(order: ListOrder | undefined): Order {
  if (order === undefined) return { key: BY_ID, direction: 'ASC' };
  const key = ORDERED_BY[order.replace('-', '') as keyof typeof ORDERED_BY];
  return { key, direction: order.startsWith('-') ? 'DESC' : 'ASC' };
}

/** The owner of a collection. */
export type OwnerRef = Pick<Collection, 'ownerType' | 'ownerId'>;

/** The collections with this name that a principal can see in one organization: the owner's first, then by id. */
export function visibleNamed(
  collections: Repository<Collection>,
  principal: Principal,
  membership: Membership,
  owner: OwnerRef | undefined,
  name: string,
): SelectQueryBuilder<Collection> {
  const query = collections
    .createQueryBuilder('c')
    .where('c.orgId = :orgId AND c.name = :name', { orgId: membership.orgId, name });
  narrowToScopes(query, membership);
  if (principal.collectionId === undefined) narrowTo('all', query, principal, membership);
  else query.andWhere('c.id = :only', { only: principal.collectionId });
  return ownFirst(query, owner);
}

/** Orders a query: the owner's collections first, then the others, both by id. */
export function ownFirst(
  query: SelectQueryBuilder<Collection>,
  owner: OwnerRef | undefined,
): SelectQueryBuilder<Collection> {
  return query
    .addSelect('c.ownerType = :ownerType AND c.ownerId = :ownerId', 'own')
    .setParameters({ ownerType: owner?.ownerType ?? null, ownerId: owner?.ownerId ?? null })
    .orderBy('own', 'DESC', 'NULLS LAST')
    .addOrderBy('c.id');
}

/** Sorted names with this prefix, in any case, of the collections that a principal can see in one organization. */
export async function visibleNames(
  collections: Repository<Collection>,
  principal: Principal,
  membership: Membership,
  prefix: string,
  atMost: number,
): Promise<string[]> {
  const query = collections
    .createQueryBuilder('c')
    .select('c.name', 'name')
    .distinct(true)
    .where('c.orgId = :orgId AND starts_with(lower(c.name), lower(:prefix))', {
      orgId: membership.orgId,
      prefix,
    });
  narrowToScopes(query, membership);
  if (principal.collectionId === undefined) narrowTo('all', query, principal, membership);
  else query.andWhere('c.id = :only', { only: principal.collectionId });
  const rows: { name: string }[] = await query.orderBy('name').limit(atMost).getRawMany();
  return rows.map(({ name }) => name);
}

const OWNED = 'c.ownerType = :type AND c.ownerId = :id';

/** SQL: collections shared with all members and agents of this kind: `org`, `anonymous` or `signup`. */
const WITH_ALL = `SELECT b.collection_id FROM collection_bindings b
  WHERE b.org_id = :orgId AND b.principal_type = :shared AND b.principal_type IN ('org', 'anonymous', 'signup')`;

/** SQL: these and collections shared with the user or one of the user's groups. */
const WITH_USER = `${WITH_ALL}
  UNION ALL SELECT b.collection_id FROM collection_bindings b WHERE b.org_id = :orgId AND b.user_id = :id
  UNION ALL SELECT b.collection_id FROM collection_bindings b
  WHERE b.org_id = :orgId AND b.group_slug = ANY (:groups)`;

/** SQL: these and collections shared with the agent. */
const WITH_AGENT = `${WITH_ALL}
  UNION ALL SELECT b.collection_id FROM collection_bindings b WHERE b.org_id = :orgId AND b.agent_id = :id`;

/** SQL: the shared collections that each type of principal can see. The same paths as in `accessPaths`. */
const SHARED = {
  admin: 'true',
  user: `c.id IN (${WITH_USER})`,
  agent: `c.id IN (${WITH_AGENT})`,
  workspace: 'false',
};

function narrowTo(
  scope: ListScope,
  query: SelectQueryBuilder<Collection>,
  principal: Principal,
  membership: Membership,
): void {
  const { type, id } = principal;
  const { role, groups } = membership;
  if (type === 'key' || type === 'service-account') {
    // These principals act for the organization: all of its collections count as owned, none as shared.
    if (scope === 'shared') query.andWhere('false');
    return;
  }
  const seesAll = type === 'user' && (role === 'owner' || role === 'admin');
  const visible = SHARED[seesAll ? 'admin' : type];
  const conditions = {
    owned: OWNED,
    shared: `${visible} AND NOT (${OWNED})`,
    all: `(${OWNED}) OR ${visible}`,
  };
  const shared = sharedWith(principal, membership);
  query.andWhere(`(${conditions[scope]})`, { type, id, groups, shared });
}

/** Scopes such as `collections:<id>` limit a key to some of the organization's collections. */
function narrowToScopes(query: SelectQueryBuilder<Collection>, { scopes }: Membership): void {
  if (scopes.length === 0 || scopes.includes('*') || scopes.includes('collections:*')) return;
  const ids = scopes
    .filter(scope => scope.startsWith('collections:'))
    .map(scope => scope.slice('collections:'.length));
  query.andWhere('c.id::text = ANY(:ids)', { ids });
}

/**
 * The owner of a collection that a principal creates: the principal itself, or for a key or service account the user who
 * created it. Throws 403 when that user no longer exists.
 */
export function collectionOwner(principal: Principal): OwnerRef {
  const owner = ownerFor(principal);
  if (owner !== undefined) return owner;
  throw new PlatformError(
    'Forbidden',
    'The user who created this key no longer exists, so a new collection would have no owner. Use a key of another user.',
  );
}

/** Like `collectionOwner`, but undefined when that user no longer exists. */
export function ownerFor({ type, id, createdBy }: Principal): OwnerRef | undefined {
  if (type === 'user' || type === 'agent') return { ownerType: type, ownerId: id };
  return createdBy === undefined ? undefined : { ownerType: 'user', ownerId: createdBy };
}
