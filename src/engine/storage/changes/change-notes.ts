import { literal, param, type Sql, sql } from '../../../base/sql/index.js';

/**
 * Which notes a reader has seen: those of the transactions that had ended when it looked. `next` is the first
 * transaction id that was not used yet, and `running` are the older transactions that had not ended. Both are texts,
 * because the ids are larger than numbers.
 */
export interface NotesSeen {
  readonly next: string;
  readonly running: readonly string[];
}

/** For a first look: it finds no notes, because a reader that has seen none must look at all feeds. */
export const NOTES_UNKNOWN: NotesSeen = { next: '18446744073709551615', running: [] };

/** True when a reader that has seen `before` has missed no note. A server restored from an older backup uses ids again. */
export function isLaterThan({ next }: NotesSeen, before: NotesSeen): boolean {
  return BigInt(next) >= BigInt(before.next);
}

/** One row of `notesStatement`. */
export interface Notes extends NotesSeen {
  /** Organizations with an active webhook on a collection with new notes. */
  readonly orgs: string[];
}

/**
 * Looks for notes that were not there when `seen` was returned: those of later transactions, and those of the
 * transactions that were running then and have ended since. So no note is missed, however long its transaction was open,
 * and a look costs nothing when there are none. Changes and their note become visible together.
 */
export function notesStatement(seen: NotesSeen): Sql {
  return sql`
    SELECT ${SEEN_NOW},
      ARRAY(
        SELECT DISTINCT w.org_id::text FROM change_notes n
        JOIN webhooks w ON w.collection_id = n.collection_id AND w.status = 'active'
        WHERE ${isNew(seen)}) AS orgs
    FROM pg_current_snapshot() s(now)`;
}

/** One row of `notesOfStatement`. */
export interface NotesOf extends NotesSeen {
  /** Collections with new notes. */
  readonly noted: string[];
  /** The versions of the collections that are there, by their ids. */
  readonly versions: Readonly<Record<string, number>>;
}

/** As `notesStatement`, for the given collections of any organizations. */
export function notesOfStatement(seen: NotesSeen, collectionIds: readonly string[]): Sql {
  const ids = param(collectionIds, 'uuid[]');
  return sql`
    SELECT ${SEEN_NOW},
      ARRAY(SELECT DISTINCT n.collection_id::text FROM change_notes n
        WHERE (${isNew(seen)}) AND n.collection_id = ANY(${ids})) AS noted,
      (SELECT coalesce(json_object_agg(c.id, c.version), '{}') FROM public.collections c
        WHERE c.id = ANY(${ids}) AND c.deleted_at IS NULL) AS versions
    FROM pg_current_snapshot() s(now)`;
}

const SEEN_NOW = sql`pg_snapshot_xmax(s.now)::text AS next, ARRAY(SELECT pg_snapshot_xip(s.now)::text) AS running`;

const isNew = ({ next, running }: NotesSeen) =>
  sql`n.xid >= (${param(next, 'text')})::xid8 OR n.xid = ANY((${param(running, 'text[]')})::xid8[])`;

/** A reader that did not look for so long must look at all feeds. */
export const NOTES_KEPT_MINUTES = 60;

/** Notes that one statement removes. */
export const NOTES_REMOVED_AT_ONCE = 5_000;

/** Removes the oldest notes if they are old enough. */
export const REMOVE_NOTES: Sql = sql`
  DELETE FROM change_notes WHERE ctid = ANY (ARRAY(
    SELECT id FROM (SELECT ctid AS id, noted_at FROM change_notes ORDER BY xid LIMIT ${literal(NOTES_REMOVED_AT_ONCE)}) o
    WHERE noted_at < statement_timestamp() - make_interval(mins => ${literal(NOTES_KEPT_MINUTES)})))`;
