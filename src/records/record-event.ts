import type { AuditEntry } from '../audit/audit-event.js';
import { eventSql } from '../audit/event-sql.js';
import type { Collection } from '../collections/collection.entity.js';
import { claimSql, keepSql } from '../idempotency/kept-answer.js';
import type { Call } from '../kernel/call.js';
import { param, sql } from '../sql/index.js';
import type { Carried } from '../storage/statement.js';

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
