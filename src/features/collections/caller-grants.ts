import type { GrantLimits } from '../../base/kernel/grant-parts.js';
import { roleReaches } from '../../base/kernel/permission.js';
import type { Membership, Principal } from '../../base/kernel/principal.js';
import type { Restrictions } from '../../engine/rules/grant.js';
import { type HeldGrant, restrictionsOf } from '../../engine/rules/restrictions.js';
import type { VariableValues } from '../../engine/rules/variables.js';
import type { AccessPath } from './collection-role.js';

/** What the grants of a caller restrict together. A part that is absent restricts nothing. */
interface CallerGrants {
  readonly restrictions?: Restrictions;
  readonly limits?: GrantLimits;
  readonly isTimed?: true;
  readonly hasTooManyRules?: true;
}

const NONE: CallerGrants = {};

/** What the paths of a caller restrict. Most callers have a path without rules, fields and limits. */
export function callerGrants(
  principal: Principal,
  membership: Membership,
  paths: readonly AccessPath[],
  now: Date,
): CallerGrants {
  if (paths.every(({ grant }) => grant === undefined)) return NONE;
  const values = callerVariables(principal, membership, now);
  const found = restrictionsOf(paths.map(heldGrant), values);
  const limits = highestLimits(paths);
  return {
    ...(limits && { limits }),
    ...(found && { restrictions: found.restrictions }),
    ...(found?.isTimed && { isTimed: true }),
    ...(found?.isTooMany && { hasTooManyRules: true }),
  };
}

const UNRESTRICTED = {};

function heldGrant({ path, role, grant = UNRESTRICTED }: AccessPath): HeldGrant {
  return {
    parts: grant,
    writes: role !== undefined && roleReaches(role, 'editor'),
    anonymous: path === 'anonymous',
  };
}

/** The highest limits of the paths. A path without a limit has the general one. */
function highestLimits(paths: readonly AccessPath[]): GrantLimits | undefined {
  const highest = (name: keyof GrantLimits) => {
    const values = paths.map(({ grant }) => grant?.limits?.[name]);
    return values.every(value => value !== undefined) ? Math.max(...values) : undefined;
  };
  const [reads, writes] = [highest('reads_per_minute'), highest('writes_per_minute')];
  if (reads === undefined && writes === undefined) return undefined;
  return {
    ...(reads !== undefined && { reads_per_minute: reads }),
    ...(writes !== undefined && { writes_per_minute: writes }),
  };
}

/**
 * The values that variables of rules have for a caller: groups, role and slug are those in the organization of the
 * collection. Source: rules contract, "Grants carry rules".
 */
export function callerVariables(principal: Principal, membership: Membership, now: Date): VariableValues {
  const { type, id, email, emailVerified, credential, credentialId } = principal;
  const time = now.toISOString();
  return {
    'caller.id': id,
    'org.slug': membership.orgSlug,
    now: time,
    today: time.slice(0, 10),
    ...(type === 'user' && {
      'user.id': id,
      'user.groups': membership.groups,
      ...(membership.role !== undefined && { 'user.role': membership.role }),
      ...(emailVerified && email !== null && { 'user.email': email }),
    }),
    ...(type === 'agent' && { 'agent.id': id }),
    ...(credential === 'org-api-key' && { 'key.id': credentialId }),
  };
}
