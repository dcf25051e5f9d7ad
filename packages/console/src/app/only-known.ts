/**
 * What the router gets from `validate`, and nothing else of the address: the router keeps every value that a validation
 * leaves out, so that a page would read values that were refused.
 */
export function onlyKnown<T extends object>(
  validate: (search: Record<string, unknown>) => T,
): (search: Record<string, unknown>) => T {
  return search => {
    const nothing = Object.fromEntries(Object.keys(search).map(name => [name, undefined]));
    return { ...nothing, ...validate(search) };
  };
}
