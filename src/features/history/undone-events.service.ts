import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/kernel/clock.js';
import { invalid, PlatformError } from '../../base/kernel/errors.js';
import { MAX_UNDONE } from '../../engine/storage/history/inserted-ids.js';
import {
  type EventSelection,
  RECORD_WRITES,
  selectedEvents,
  type WriteActor,
  type WriteEvent,
} from '../../platform/audit/record-writes.js';
import { execute, type Queryable } from '../../platform/database/queryable.js';
import type { Access } from '../collections/collection-access.js';
import { hasRight } from '../collections/collection-rights.js';
import { earliestKept, unavailableHistory } from '../collections/kept-history.js';
import type { UndoWritesBody } from './undo.dto.js';

const ERASED = 'collections.records.erased';

/** Finds the events that an undo names, and checks that the caller may undo them. */
@Injectable()
export class UndoneEvents {
  constructor(private readonly clock: Clock) {}

  /**
   * Their ids, oldest first. Throws 400 for events that cannot be undone, 400 `HistoryUnavailable` for events that are
   * no longer kept, and 403 for writes of others unless the caller is an admin of the collection.
   */
  async find(transaction: Queryable, access: Access, selection: EventSelection): Promise<readonly string[]> {
    const { collection } = access;
    const now = this.clock.now();
    const earliest = earliestKept(collection, now);
    if (earliest === undefined) throw unavailableHistory(collection, now);
    const isAdmin = hasRight(access, 'manage');
    const isOwn = ({ type, id }: WriteActor) => type === access.principal.type && id === access.principal.id;
    if (!isAdmin && 'actor' in selection && !isOwn(selection.actor)) throw ofOthers();
    const statement = selectedEvents(collection.orgId, collection.id, selection, MAX_UNDONE + 1);
    const events: WriteEvent[] = await execute(transaction, statement);
    refuseUnknown(selection, events);
    if (!isAdmin && !events.every(({ actor }) => isOwn(actor))) throw ofOthers();
    for (const event of events) refuseOtherKind(event);
    if (events.some(event => event.created_at < earliest)) throw unavailableHistory(collection, now);
    if (events.length > MAX_UNDONE || events.some(({ count }) => (count ?? 0) > MAX_UNDONE)) throw tooMany();
    return events.map(({ id }) => id);
  }
}

/** The events that a request names. Throws 400 unless it names them in exactly one way. */
export function selectionOf(body: UndoWritesBody): EventSelection {
  const { event_ids, correlation_id, actor, since, until } = body;
  const ways = [event_ids, correlation_id, actor].filter(way => way !== undefined && way !== null);
  if (ways.length !== 1) throw invalid('Send exactly one of event_ids, correlation_id and actor.');
  if (actor !== undefined) {
    if (since === undefined) throw invalid('since: is required with actor');
    return { actor, since: new Date(since), until: until === undefined ? undefined : new Date(until) };
  }
  if (since !== undefined || until !== undefined) throw invalid('since and until need actor');
  if (correlation_id !== undefined) return { correlationId: correlation_id };
  return { eventIds: [...new Set(event_ids?.map(id => id.toLowerCase()))] };
}

function refuseUnknown(selection: EventSelection, events: readonly WriteEvent[]): void {
  if ('eventIds' in selection) {
    const known = new Set(events.map(({ id }) => id));
    const unknown = selection.eventIds.find(id => !known.has(id));
    if (unknown !== undefined) throw invalid(`event_ids: this collection has no event ${unknown}`);
  }
  if ('correlationId' in selection && events.length === 0)
    throw invalid('correlation_id: no write to this collection has this correlation id');
}

function refuseOtherKind({ id, type }: WriteEvent): void {
  if (type === ERASED) throw invalid(`event_ids: the event ${id} erased records, which cannot be undone`);
  if (!RECORD_WRITES.includes(type)) throw invalid(`event_ids: the event ${id} (${type}) wrote no records`);
}

function ofOthers(): PlatformError {
  return new PlatformError(
    'Forbidden',
    'You may undo your own writes only. To undo writes of others you need the role admin on the collection.',
  );
}

/** 400: the undo would concern more records than one request may write. */
export function tooMany(): PlatformError {
  return invalid(`These writes concern more than ${MAX_UNDONE} records. Undo fewer writes at once.`);
}
