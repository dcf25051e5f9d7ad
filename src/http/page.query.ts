import { DEFAULT_LIMIT, MAX_LIMIT } from '../kernel/limits.js';
import { type Page } from '../kernel/page.js';
import { IntegerField } from './field.decorators.js';

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
