import { type AuditEntry } from '../audit/audit-event.js';
import { eventSql } from '../audit/event-sql.js';
import { type Collection } from '../collections/collection.entity.js';
import { type Filter, parseFilter } from '../filter/index.js';
import { claimSql, keepSql } from '../idempotency/kept-answer.js';
import { type Call } from '../kernel/call.js';
import { type Deadline } from '../kernel/deadline.js';
import { type Renewable } from '../kernel/decided-rights.js';
import { invalid, PlatformError } from '../kernel/errors.js';
import { constraintOf, sqlState } from '../kernel/sql-state.js';
import { param, sql } from '../sql/index.js';
import { type IndexDefinition } from '../storage/collection-shape.js';
import { writeRefusal } from '../storage/query-refusal.js';
import { type Selection } from '../storage/records/selection.js';
import { type Carried } from '../storage/statement.js';
import { uniqueNamed } from '../storage/table/table.js';

/** How selected records are written. */
export interface Write {
  readonly act: RecordAct;
  readonly now: Date;
  /** When the request stops retrying it. */
  readonly until: Deadline;
  /** The caller's, decided again when the write has waited. */
  readonly rights: Renewable | undefined;
  /** Tells what would happen, and leaves everything as it is. */
  readonly dryRun?: boolean | undefined;
  /** When the records expire from now on, null = never; undefined leaves it. */
  readonly expiresAt?: Date | null | undefined;
}

/** What a write came to. */
export interface Written {
  readonly matched: number;
  /** Records that are different now. */
  readonly updated: number;
  /** Of the oldest, where that was selected and there was one. */
  readonly id?: string | undefined;
}

/** Throws 400 when more records match than `max_affected` allows. */
export function refuseExcess(selection: Selection, matched: number): void {
  if (!('atMost' in selection) || selection.atMost === undefined || matched <= selection.atMost) return;
  throw invalid(
    `max_affected: the filter matches more than ${selection.atMost} records; nothing was written`,
    {
      max_affected: selection.atMost,
    },
  );
}

type RecordEventType = `collections.records.${'inserted' | 'updated' | 'upserted' | 'deleted'}`;

/** What is written about records of a collection: who does it, and what it is called. */
export interface RecordAct {
  readonly call: Call;
  readonly type: RecordEventType;
  readonly answer: AnswerText;
}

/** The JSON of an answer, made of what the write came to: texts of two numbers and of a record's id. */
export type AnswerText = (came: { matched: string; updated: string; id: string }) => string;

/** The event of a write to records of a collection; count and ids are filled in by whoever counts them. */
export function recordEntry({ id, name }: Collection, { type }: RecordAct): AuditEntry {
  return { type, target: { type: 'collection', id, name } };
}

/** Where `format` of PostgreSQL puts them. */
const PLACES = { matched: '%1$s', updated: '%2$s', id: '%3$s' };

/** The event, and the answer that is kept for retries, as parts of the write's own statement. */
export function recordEvent(collection: Collection, act: RecordAct): Carried {
  const { call, answer } = act;
  const { retry } = call;
  return {
    event: written => eventSql(call, collection.orgId, recordEntry(collection, act), written),
    once: retry && {
      claim: claimSql(retry),
      keep: ({ done, counts }) => {
        const text = param(answer(PLACES), 'text');
        const made = counts && sql`format(${text}, ${counts.matched}, ${counts.written}, ${counts.id})`;
        return keepSql(retry, made ?? text, done);
      },
    },
  };
}

/** The statement timeout. */
const CANCELLED = '57014';

/** The unique constraint that a write broke, or undefined when the error is about something else. */
export function brokenUnique(error: unknown, collection: Collection): IndexDefinition | undefined {
  if (sqlState(error) !== '23505') return undefined;
  return uniqueNamed(collection, collection.uniques, constraintOf(error) ?? '');
}

/** What the database refused of a write, in the client's words; anything else is passed on. */
export function refusal(error: unknown, collection: Collection): unknown {
  const unique = brokenUnique(error, collection);
  if (unique === undefined) return writeRefusal(error);
  const { properties } = unique;
  // Nothing is inserted or changed unless the version check holds.
  return new PlatformError(
    'AlreadyExists',
    `A record with the same ${properties.join(', ')} exists already; nothing was written.`,
    { properties },
  ).proven();
}

/**
 * The same of a write that looks for nothing but ids and unique keys. One that takes too long was kept waiting: there is
 * nothing in it for the client to mend, so it is no 400 but the 503 of a busy database.
 */
export function directRefusal(error: unknown, collection: Collection): unknown {
  return sqlState(error) === CANCELLED ? error : refusal(error, collection);
}

/** How a write with this selection tells what was refused: a filter may be what takes long. */
export function refusalOf(selection: Selection): typeof refusal {
  return 'recordId' in selection ? directRefusal : refusal;
}

interface FilteredBody {
  readonly filter: unknown;
  readonly max_affected?: number;
  readonly allow_match_all?: boolean;
}

/** The records a write by filter is about. Throws 400 for a filter that says nothing, unless that is what is wanted. */
export function selectionByFilter({
  filter,
  max_affected,
  allow_match_all,
}: FilteredBody): Extract<Selection, { atMost: unknown }> {
  const parsed = parseFilter(filter);
  if (saysNothing(parsed) && allow_match_all !== true) {
    throw invalid(
      'filter: an empty filter matches every record; send allow_match_all: true if you mean that',
    );
  }
  return { filter: parsed, atMost: max_affected };
}

/** `{}`, also as the only thing that `$and` and `$or` combine. */
function saysNothing(filter: Filter): boolean {
  if (filter.kind === 'and') return filter.filters.every(saysNothing);
  return filter.kind === 'or' && filter.filters.some(saysNothing);
}
