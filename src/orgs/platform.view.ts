import { ApiProperty } from '@nestjs/swagger';
import { offsetOf, type Page } from '../kernel/page.js';

/** Answer to a DELETE. */
export class DoneView {
  @ApiProperty({ example: true }) success: boolean;
}

/** `{results, total}`, the shape of every list of the platform. */
export interface ResultList<T> {
  readonly results: T[];
  readonly total: number;
}

/** A page of what is in memory already. */
export function pageOf<T>(all: readonly T[], page: Page): ResultList<T> {
  return { results: all.slice(offsetOf(page), offsetOf(page) + page.limit), total: all.length };
}
