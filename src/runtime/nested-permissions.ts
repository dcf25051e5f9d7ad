import type { Permission } from '../kernel/permission.js';

/** `{product: {resource: {action: true}}}` (spec 5.5). */
export type NestedPermissions = Record<string, Record<string, Record<string, true>>>;

/**
 * Permissions by their parts. `*` stands for a part that is not named: of `product:action` the resource, of `product:*` all
 * behind the product, of `*` everything.
 */
export function nestedPermissions(permissions: readonly Permission[]): NestedPermissions {
  const nested: NestedPermissions = {};
  for (const permission of permissions) {
    const [product = '*', ...rest] = permission.split(':');
    const [action = '*', resource = '*'] = rest.reverse();
    inner(inner(nested, product), resource)[action] = true;
  }
  return nested;
}

/** The object under a name, which may be one that every object has. */
function inner<T extends object>(outer: Record<string, T>, name: string): T {
  if (!Object.hasOwn(outer, name)) outer[name] = {} as T;
  return outer[name] as T;
}
