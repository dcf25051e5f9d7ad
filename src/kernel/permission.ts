/** `product:action`, `product:resource:action`; `*` only as the last part. Source: platform contract, Organizations. */
export type Permission = string;

const PERMISSION = /^(\*|[a-z0-9-]+:\*|[a-z0-9-]+:[a-z0-9-]+(:([a-z0-9-]+|\*))?)$/;

/** True when the text has the form of a permission. */
export function isPermission(text: string): boolean {
  return PERMISSION.test(text);
}

/** True when one held permission covers the needed one: equal, `*`, or a `…:*` that is a prefix of it. */
export function covers(held: readonly Permission[], needed: Permission): boolean {
  return held.some(
    permission =>
      permission === needed ||
      permission === '*' ||
      (permission.endsWith(':*') && needed.startsWith(permission.slice(0, -1))),
  );
}

/** The first of `wanted` that `held` does not cover, or undefined: nobody grants more than they hold. */
export function firstUncovered(
  held: readonly Permission[],
  wanted: readonly Permission[],
): Permission | undefined {
  return wanted.find(permission => !covers(held, permission));
}

/** What is left of held permissions when a credential is narrowed to others; undefined narrows nothing. */
export function effectivePermissions(
  held: readonly Permission[],
  narrowedTo: readonly Permission[] | undefined,
): readonly Permission[] {
  if (narrowedTo === undefined) return held;
  const both = [
    ...held.filter(each => covers(narrowedTo, each)),
    ...narrowedTo.filter(each => covers(held, each)),
  ];
  return [...new Set(both)];
}

/** True when scopes (`type:id`, `type:*`; an empty list means no narrowing) reach the resource. */
export function scopeReaches(scopes: readonly string[], type: string, id: string): boolean {
  return (
    scopes.length === 0 ||
    scopes.some(scope => scope === '*' || scope === `${type}:*` || scope === `${type}:${id}`)
  );
}
