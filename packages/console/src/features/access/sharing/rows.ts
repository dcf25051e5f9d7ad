import { type Principal } from '../../../api/directory.js';
import type { Binding } from '../queries.js';

export const GRANTED_ROLES = ['reader', 'editor', 'admin'] as const;
export type GrantedRole = (typeof GRANTED_ROLES)[number];

/** One line of the list of those who have access. */
export interface AccessRow {
  readonly principal: Principal;
  /** The e-mail address of a person, if the service knows it. */
  readonly email?: string;
  readonly role: GrantedRole | 'owner';
}

/** Bindings and, on the first page, the agents of the collection, who are editors. */
export function rowsOf(
  bindings: readonly Binding[],
  agentIds: readonly string[],
  page: number,
): readonly AccessRow[] {
  const shared = bindings.map(({ principal_type: type, principal_id: id, role, email }) => ({
    principal: { type, id },
    role,
    ...(email !== undefined && { email }),
  }));
  const agents =
    page === 1 ? agentIds.map(id => ({ principal: { type: 'agent', id }, role: 'editor' }) as const) : [];
  return [...shared, ...agents];
}
