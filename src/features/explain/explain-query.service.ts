import { Injectable } from '@nestjs/common';
import { invalid } from '../../base/kernel/errors.js';
import { type AskedRead, adviceFor } from '../../engine/storage/explain/advice.js';
import type { MeasuredRead } from '../../engine/storage/explain/measured-read.js';
import { queryRefusal } from '../../engine/storage/query-refusal.js';
import { RecordStore } from '../../engine/storage/record-store.js';
import type { Statement } from '../../engine/storage/statement.js';
import { Analytics } from '../analytics/analytics.service.js';
import { type Access, CollectionAccess } from '../collections/collection-access.js';
import { refuseRestricted } from '../collections/collection-rights.js';
import { QueryRecords } from '../records/query/query-records.service.js';
import { type ExplainedQueryView, ExplainQueryBody } from './explain.dto.js';

/** A read as its own operation would execute it. */
interface Read extends AskedRead {
  /** Rows of the result at most. The statement may return one more. */
  readonly limit: number;
  statement(current: Access): Statement;
}

/** Shows how a read is executed, with what it costs and the index that would help. */
@Injectable()
export class ExplainQuery {
  constructor(
    private readonly accesses: CollectionAccess,
    private readonly records: QueryRecords,
    private readonly analytics: Analytics,
    private readonly store: RecordStore,
  ) {}

  explain(access: Access, body: ExplainQueryBody): Promise<ExplainedQueryView> {
    const read = this.readOf(body);
    return this.accesses.withVersionCheck(access, async (current, until) => {
      const { collection, restrictions } = current;
      if (restrictions?.reading !== undefined) refuseRestricted(current, 'explain queries');
      const statement = read.statement(current);
      try {
        const measured = await this.store.explain(collection, statement, until, { caller: access.caller });
        const existing = [...collection.indexes, ...collection.uniques];
        return viewOf(read, measured, adviceFor(collection, read, existing, measured));
      } catch (error) {
        throw queryRefusal(error);
      }
    });
  }

  private readOf({ aggregate, ...search }: ExplainQueryBody): Read {
    if (aggregate === undefined) {
      const page = this.records.request(search);
      const { filter, sort } = page;
      return { filter, sort, limit: search.limit, statement: current => page.plan(current).statement };
    }
    requireNothingBeside(search);
    const { filter, statement } = this.analytics.request(aggregate);
    return { filter, sort: undefined, limit: aggregate.limit ?? Number.POSITIVE_INFINITY, statement };
  }
}

const DEFAULTS: Readonly<Record<string, unknown>> = { ...new ExplainQueryBody() };

/** Throws 400 for a field of a query beside `aggregate`, unless it has its default value. */
function requireNothingBeside(search: object): void {
  const other = Object.entries(search).find(([name, value]) => value !== DEFAULTS[name])?.[0];
  if (other !== undefined)
    throw invalid(`${other}: cannot stand beside aggregate. Leave it out, or put it into aggregate.`);
}

function viewOf(
  { limit }: Read,
  measured: MeasuredRead,
  advice: ExplainedQueryView['index'] | undefined,
): ExplainedQueryView {
  const { indexes, durationMs } = measured;
  return {
    index: indexes[0] ?? null,
    ...(indexes.length > 1 && { indexes }),
    uses_index: measured.usesIndex,
    estimated_rows: measured.estimatedRows,
    returned_rows: Math.min(measured.returnedRows, limit),
    scanned_rows: measured.scannedRows,
    duration_ms: Math.round(durationMs * 1000) / 1000,
    plan: measured.plan,
    advice: advice ?? null,
  };
}
