import { ApiProperty } from '@nestjs/swagger';
import { offsetOf, type Page } from '../kernel/page.js';

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
