export const SORTS = ['name', '-name', 'created_at', '-created_at', 'updated_at', '-updated_at'] as const;

/** What the address of the list says about it. */
export interface CollectionsSearch {
  readonly q?: string;
  readonly sort?: (typeof SORTS)[number];
  readonly show?: 'own' | 'shared';
  readonly page?: number;
  /** True: the dialog for a new collection is open. */
  readonly create?: true;
}

export function collectionsSearch({
  q,
  sort,
  show,
  page,
  create,
}: Record<string, unknown>): CollectionsSearch {
  return {
    ...(typeof q === 'string' && q !== '' && { q }),
    ...(SORTS.includes(sort as never) && { sort: sort as CollectionsSearch['sort'] }),
    ...((show === 'own' || show === 'shared') && { show }),
    ...(Number.isInteger(page) && Number(page) > 1 && { page: Number(page) }),
    ...(create === true && { create }),
  };
}
