import { ApiProperty } from '@nestjs/swagger';
import type { FindManyOptions, ObjectLiteral, Repository } from 'typeorm';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../base/kernel/limits.js';
import { IntegerField } from './field.decorators.js';

/** One page of a list: `page` counts from 1, `limit` is its length (1–100). */
export interface Page {
  readonly page: number;
  readonly limit: number;
}

/** Number of rows before the page. */
export function offsetOf(page: Page): number {
  return (page.page - 1) * page.limit;
}

/** The parameters `limit` and `page` of every list. */
export class PageQuery implements Page {
  @IntegerField({
    min: 1,
    max: MAX_LIMIT,
    optional: true,
    default: DEFAULT_LIMIT,
    description: 'Entries per page.',
  })
  limit: number = DEFAULT_LIMIT;

  @IntegerField({
    min: 1,
    max: 1_000_000_000,
    optional: true,
    default: 1,
    description: 'Page number, from 1.',
  })
  page: number = 1;
}

/** The response to a DELETE. */
export class DoneView {
  @ApiProperty({ example: true }) success: boolean;
}

/** The form of every list of the platform: a page, and the number of all entries. */
export interface ResultList<T> {
  readonly results: T[];
  readonly total: number;
}

/** A page of a list that is in memory. */
export function pageOf<T>(all: readonly T[], page: Page): ResultList<T> {
  return { results: all.slice(offsetOf(page), offsetOf(page) + page.limit), total: all.length };
}

/** A page of the rows of a table. `view` makes the entries. */
export async function pageOfRows<E extends ObjectLiteral, V>(
  rows: Repository<E>,
  which: Pick<FindManyOptions<E>, 'where' | 'order'>,
  page: Page,
  view: (row: E) => V,
): Promise<ResultList<V>> {
  const [found, total] = await rows.findAndCount({ ...which, skip: offsetOf(page), take: page.limit });
  return { results: found.map(row => view(row)), total };
}
