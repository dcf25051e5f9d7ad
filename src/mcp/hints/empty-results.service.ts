import { Injectable } from '@nestjs/common';
import type { Access } from '../../collections/collection-access.js';
import { RecordReader } from '../../records/record-reader.service.js';
import { filterHints } from './filter-hints.js';

/** What an answer without records adds, so that a mistyped name is not taken for a fact. */
export interface EmptyResult {
  /** Follows the sentence of the answer. */
  readonly sentence: string;
  readonly data: { readonly hints?: string[] };
}

export const NOTHING_TO_EXPLAIN: EmptyResult = { sentence: '', data: {} };

/** Looks for the mistake in a filter that matched nothing. */
@Injectable()
export class EmptyResults {
  constructor(private readonly reader: RecordReader) {}

  /** `fields` are those that were asked for besides the filter. Reads the names of a few records' fields, once. */
  async explain(access: Access, filter: unknown, fields: readonly string[] = []): Promise<EmptyResult> {
    if (filter === undefined && fields.length === 0) return NOTHING_TO_EXPLAIN;
    const { columns } = access.collection;
    // Most often there is nothing to say even if no record had any other field: then none is read.
    if (filterHints(filter, fields, { columns }, []).length === 0) return NOTHING_TO_EXPLAIN;
    const hints = filterHints(filter, fields, { columns }, await this.reader.fieldNames(access));
    return hints.length === 0
      ? NOTHING_TO_EXPLAIN
      : { sentence: ' Read the hints: something may be misspelt.', data: { hints } };
  }
}
