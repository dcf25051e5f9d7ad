/** What can happen to a record; the triggers of a feed write these words. */
export const CHANGE_TYPES = ['inserted', 'updated', 'deleted', 'expired'] as const;

export type ChangeType = (typeof CHANGE_TYPES)[number];
