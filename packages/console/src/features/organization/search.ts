/** What the address of a list of the organization says about it. */
export interface ListSearch {
  /** From 1. */
  readonly page?: number;
}

export function listSearch({ page }: Record<string, unknown>): ListSearch {
  return Number.isInteger(page) && Number(page) > 1 ? { page: Number(page) } : {};
}
