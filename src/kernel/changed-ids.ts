/** Ids of the rows that a change touched (users, organizations, keys, sessions, agents), or `all` when they are not listed. */
export type ChangedIds = readonly string[] | 'all';

/** The ids in a payload of `permissions.changed` or `sessions.revoked`: `{table, ids}` or `{all: true}`. */
export function changedIds(payload: string): ChangedIds {
  try {
    const { ids } = JSON.parse(payload);
    return Array.isArray(ids) && ids.every(id => typeof id === 'string') ? ids : 'all';
  } catch {
    return 'all';
  }
}
