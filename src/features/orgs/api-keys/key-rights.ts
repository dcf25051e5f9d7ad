import { BlockList, isIP } from 'node:net';
import type { EntityManager } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { type GrantParts, restricts } from '../../../base/kernel/grant-parts.js';
import type { Permission } from '../../../base/kernel/permission.js';
import { creatorOf, holds, type Membership, type Principal } from '../../../base/kernel/principal.js';
import { assertMayGrant, type Rights } from '../granting.js';
import type { OrgApiKey } from './org-api-key.entity.js';

type Made = Pick<OrgApiKey, 'createdBy'>;
type Owned = Partial<Pick<OrgApiKey, 'ownerType' | 'ownerId' | 'collectionId'>>;

/** 403 unless the caller may create a key with these rights and this owner, or a service account with these rights. */
export function assertMayMint(call: Call, membership: Membership, key: Rights & Owned): void {
  assertMayHold(call, membership, key);
  const ownerless = !key.ownerType && !key.collectionId;
  if (!ownerless || !key.permissions.some(reachesCollections)) return;
  if (holds(call.principal, membership, '*')) return;
  throw new PlatformError(
    'Forbidden',
    'You need the permission * for a key or service account of the organization with permissions for collections, because it is owner of every collection. Create a key that acts as you (ownerType, ownerId), or a key of one collection.',
  );
}

/**
 * 403 unless the caller may change a key or set a new secret for it: for somebody else's, and for other rights, they need
 * what creating it needs.
 */
export function assertMayRenew(
  call: Call,
  membership: Membership,
  key: Rights & Owned & Made,
  { otherRights = false } = {},
): void {
  if (isMaker(call.principal, key) && !otherRights) assertMayHold(call, membership, key);
  else assertMayMint(call, membership, key);
}

/** True for a key that the caller has created, so that they had its secret. */
export function isMaker(principal: Principal, { createdBy }: Made): boolean {
  return createdBy !== null && createdBy === creatorOf(principal);
}

/** 403 unless the caller holds the rights of the key, and may act as its owner. */
function assertMayHold({ principal }: Call, membership: Membership, key: Rights & Owned): void {
  if (!principal.firstParty || principal.anonymous || principal.collectionId !== undefined) {
    throw new PlatformError(
      'Forbidden',
      'This credential cannot be used to manage API keys or service accounts.',
    );
  }
  assertMayGrant(principal, membership, key);
  assertMayActAs(principal, membership, key);
}

function reachesCollections(permission: Permission): boolean {
  return permission === '*' || permission.startsWith('collections:');
}

/** True for disabling and renaming. They grant nothing, so every manager of keys may do them. */
export function onlyWeakens(change: Partial<Pick<OrgApiKey, 'name' | 'disabled'>>): boolean {
  const { name, disabled, ...rest } = change;
  return disabled !== false && Object.values(rest).every(value => value === undefined);
}

/**
 * A key that acts as an agent needs `agents:act`, like the header that acts for it. A key that acts as another person
 * needs `*`, because it reaches what belongs to that person.
 */
function assertMayActAs(principal: Principal, membership: Membership, { ownerType, ownerId }: Owned): void {
  if (!ownerType || ownerId === principal.id) return;
  const needed = ownerType === 'agent' ? 'agents:act' : '*';
  if (!holds(principal, membership, needed)) {
    throw new PlatformError(
      'Forbidden',
      `You need the permission ${needed} for a key that acts as this ${ownerType}.`,
    );
  }
}

const OWNER_IN_ORG = {
  user: `SELECT 1 FROM org_memberships m JOIN users u ON u.id = m.user_id AND u.status = 'active'
    WHERE m.org_id = $1 AND m.user_id = $2`,
  agent: 'SELECT 1 FROM agents WHERE org_id = $1 AND id = $2',
};

/** 400 when the key has an owner that is not an active member or an agent of the organization. */
export async function assertOwnerExists(
  manager: EntityManager,
  orgId: string,
  { ownerType, ownerId }: Partial<Pick<OrgApiKey, 'ownerType' | 'ownerId'>>,
): Promise<void> {
  if (!ownerType && !ownerId) return;
  if (!ownerType || !ownerId) throw invalid('ownerType and ownerId: send both or neither.');
  const found = await manager.query(OWNER_IN_ORG[ownerType], [orgId, ownerId]);
  if (found.length === 0) throw invalid(`ownerId: the organization has no ${ownerType} with this id.`);
}

type Expiry = Partial<Pick<OrgApiKey, 'expiresAt' | 'collectionId'>>;

/** 400 for an expiry in the past. */
export function assertFuture({ expiresAt, collectionId }: Expiry, now: Date): void {
  if (!isPast(expiresAt, now)) return;
  throw invalid(`${collectionId ? 'expires_at' : 'expiresAt'}: expects a time in the future.`);
}

/** 409 for an expired key, because a new secret would not make it valid. */
export function assertAlive({ expiresAt }: Expiry, now: Date): void {
  if (isPast(expiresAt, now)) throw new PlatformError('Conflict', 'The key has expired. Mint another key.');
}

/** When the old secret of a rotated key expires: never later than the key did. Null: at once. */
export function graceEnd({ expiresAt }: Expiry, graceSeconds: number, now: Date): Date | null {
  if (graceSeconds === 0) return null;
  const end = new Date(now.getTime() + graceSeconds * 1000);
  return expiresAt && expiresAt < end ? expiresAt : end;
}

function isPast(expiresAt: Date | null | undefined, now: Date): boolean {
  return expiresAt != null && expiresAt <= now;
}

/** True for an address or a CIDR range of either family. */
export function isIpRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** True when the address is in one of the ranges, or the list is empty. An IPv4-mapped IPv6 address counts as IPv4. */
export function ipAllowed(ranges: readonly string[], ip: string | undefined): boolean {
  if (ranges.length === 0) return true;
  const address = ip?.replace(/%.*$/, '') ?? '';
  if (isIP(address) === 0) return false;
  const list = new BlockList();
  for (const range of ranges) {
    const [start = '', bits] = range.split('/');
    if (bits === undefined) list.addAddress(start, familyOf(start));
    else list.addSubnet(start, Number(bits), familyOf(start));
  }
  return list.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

const OF_RESTRICTED_KEYS = new Set(['collections:read', 'collections:propose', 'collections:write']);

/** Throws 400 for a collection key with rules or fields that has other permissions than those for records. */
export function requireKeyPermissions(key: GrantParts & { readonly permissions: readonly string[] }): void {
  const other = restricts(key) ? key.permissions.find(each => !OF_RESTRICTED_KEYS.has(each)) : undefined;
  if (other === undefined) return;
  throw invalid(
    `permissions: a key with rules or fields has only ${[...OF_RESTRICTED_KEYS].join(', ')}; remove ${other}, or send rules and fields as null`,
  );
}
