type Filter = Record<string, unknown>;

/** A filter as it is edited. No filter is an empty text. */
export const filterText = (filter: Filter | null): string =>
  filter === null ? '' : JSON.stringify(filter, null, 2);

/** The filter that a text says; null for an empty text, undefined if the text is not a JSON object. */
export function filterOf(text: string): Filter | null | undefined {
  if (text.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Filter)
      : undefined;
  } catch {
    return undefined;
  }
}
