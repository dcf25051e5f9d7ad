import type { Me } from './session.js';

/** True if the person may do this in the active organization. `*` at the end of a permission covers what it begins. */
export function isAllowed(me: Pick<Me, 'permissions'> | undefined, needed: string): boolean {
  return (me?.permissions ?? []).some(
    held => held === needed || held === '*' || (held.endsWith(':*') && needed.startsWith(held.slice(0, -1))),
  );
}
