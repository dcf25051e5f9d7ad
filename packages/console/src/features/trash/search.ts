/** What the address of the trash says about it. */
export interface TrashSearch {
  /** Page of the list, from 1. */
  readonly page?: number;
}

export function trashSearch({ page }: Record<string, unknown>): TrashSearch {
  return Number.isInteger(page) && Number(page) > 1 ? { page: Number(page) } : {};
}
