import { PRINCIPAL_TYPES, type Principal } from '../../api/directory.js';

/** What the address of the page of access says about it. */
export interface AccessSearch {
  /** Page of the list of those who have access, from 1. */
  readonly page?: number;
  /** The principal whose access is explained. */
  readonly explain?: Principal;
}

export function accessSearch({ page, explain }: Record<string, unknown>): AccessSearch {
  const principal = principalOf(explain);
  return {
    ...(Number.isInteger(page) && Number(page) > 1 && { page: Number(page) }),
    ...(principal !== undefined && { explain: principal }),
  };
}

function principalOf(value: unknown): Principal | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { type, id } = value as Record<string, unknown>;
  const known = PRINCIPAL_TYPES.find(each => each === type);
  return known !== undefined && typeof id === 'string' && id !== '' ? { type: known, id } : undefined;
}
