import { type GrantParts, restricts } from '../../base/kernel/grant-parts.js';
import type { Grant, Restrictions } from './grant.js';
import { CLOSED_GRANT, type ParsedGrant, parseGrant, resolveGrant } from './grant-parts.js';
import type { VariableValues } from './variables.js';

/** Maximum of the conditions of all grants of a caller. */
const MAX_CONDITIONS = 1000;

/** A grant that a caller has. */
export interface HeldGrant {
  readonly parts: GrantParts;
  /** True for a grant that counts for writing; every grant counts for reading. */
  readonly writes: boolean;
  /** True for a grant of anonymous people: an absent rule is false. */
  readonly anonymous: boolean;
}

/** What the grants of a caller restrict. */
export interface Restricted {
  readonly restrictions: Restrictions;
  /** True when the current time is in the rules, so that the result holds for one request only. */
  readonly isTimed: boolean;
  /** True when the rules have too many conditions. Then no grant is part of the result. */
  readonly isTooMany: boolean;
}

/** What the grants restrict together; undefined when they restrict nothing. Reading and writing are apart. */
export function restrictionsOf(grants: readonly HeldGrant[], values: VariableValues): Restricted | undefined {
  const [reading, writing] = [restricting(grants), restricting(grants.filter(({ writes }) => writes))];
  // A caller that sees everything and may write nothing is restricted by its role alone.
  if (reading === undefined && (writing === undefined || writing.length === 0)) return undefined;
  const held = [...new Set([...(reading ?? []), ...(writing ?? [])])];
  const parsed = new Map(held.map(grant => [grant, parsedOf(grant.parts, grant.anonymous)]));
  const conditions = [...parsed.values()].reduce((sum, grant) => sum + grant.conditions, 0);
  if (conditions > MAX_CONDITIONS) return NOTHING;
  const resolved = new Map([...parsed].map(([grant, each]) => [grant, resolveGrant(each, values)]));
  const of = (some: readonly HeldGrant[] | undefined) => some?.map(grant => resolved.get(grant) as Grant);
  return {
    restrictions: { reading: of(reading), writing: of(writing) },
    isTimed: [...parsed.values()].some(({ variables }) => variables.has('now') || variables.has('today')),
    isTooMany: false,
  };
}

const NOTHING: Restricted = {
  restrictions: { reading: [], writing: [] },
  isTimed: false,
  isTooMany: true,
};

/** The grants; undefined when one of them restricts nothing. */
function restricting(grants: readonly HeldGrant[]): readonly HeldGrant[] | undefined {
  return grants.some(({ parts }) => !restricts(parts)) ? undefined : grants;
}

/** The parsed form of a grant lives as long as its stored form: until the collection has another version. */
const parsedGrants = new WeakMap<GrantParts, ParsedGrant>();

/** The parts of a grant, parsed. Parts that this version cannot parse open nothing. */
export function parsedOf(parts: GrantParts, anonymous: boolean): ParsedGrant {
  const known = parsedGrants.get(parts);
  if (known !== undefined) return known;
  const parsed = parsedOrClosed(parts, anonymous);
  parsedGrants.set(parts, parsed);
  return parsed;
}

/** A part that was stored by a later version must not open anything. */
function parsedOrClosed(parts: GrantParts, anonymous: boolean): ParsedGrant {
  try {
    return parseGrant(parts, anonymous);
  } catch {
    return CLOSED_GRANT;
  }
}
