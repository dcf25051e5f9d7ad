/** One page of a list: `page` counts from 1, `limit` is its length (1–100). */
export interface Page {
  readonly page: number;
  readonly limit: number;
}

/** Number of rows before the page. */
export function offsetOf(page: Page): number {
  return (page.page - 1) * page.limit;
}
