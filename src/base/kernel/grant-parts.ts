/**
 * The optional parts of a binding or a collection key, as they are stored. Null or absent: the grant has no such part.
 * Source: rules contract, "Grants carry rules".
 */
export interface GrantParts {
  readonly rules?: GrantPart | null;
  readonly fields?: GrantPart | null;
  readonly limits?: GrantLimits | null;
}

/** A part as JSON, in which nothing is checked yet. */
export type GrantPart = object;

/** How often a caller may use a collection. */
export interface GrantLimits {
  readonly reads_per_minute?: number;
  readonly writes_per_minute?: number;
}

/** The parts that a grant has: absent when they are not set. */
export interface ShownParts {
  readonly rules?: GrantPart;
  readonly fields?: GrantPart;
  readonly limits?: GrantLimits;
}

/** The parts that a grant has. */
export function shownParts({ rules, fields, limits }: GrantParts): ShownParts {
  return { ...(rules && { rules }), ...(fields && { fields }), ...(limits && { limits }) };
}

/** True for a grant with records or fields that it does not reach. Limits alone restrict nothing. */
export function restricts({ rules, fields }: GrantParts): boolean {
  return (rules ?? null) !== null || (fields ?? null) !== null;
}
