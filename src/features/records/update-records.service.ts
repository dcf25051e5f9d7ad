import { Injectable } from '@nestjs/common';
import type { AnswerText, Call } from '../../base/kernel/call.js';
import { Clock } from '../../base/kernel/clock.js';
import { invalid } from '../../base/kernel/errors.js';
import { isUuid } from '../../base/kernel/id.js';
import type { JsonObject, JsonValue } from '../../base/kernel/json.js';
import { type Operation, parseUpdate, rootsOf, type Update } from '../../engine/filter/update/index.js';
import { RecordStore } from '../../engine/storage/record-store.js';
import { RecordTransactions } from '../../engine/storage/record-transactions.js';
import {
  type ColumnChange,
  changeStatement,
  type FieldChanges,
} from '../../engine/storage/records/change.js';
import {
  fittingValue,
  type KnownColumn,
  layoutOf,
  type RecordLayout,
} from '../../engine/storage/records/record-layout.js';
import type { Selection } from '../../engine/storage/records/selection.js';
import { forUpdate } from '../../engine/storage/restricted/writing.js';
import type { TagCondition } from '../../platform/http/entity-tags.js';
import type { Access } from '../collections/collection-access.js';
import { requireRight } from '../collections/collection-rights.js';
import { LockedUpdates } from './locked-updates.service.js';
import { QueryRecords, recordNotFound } from './query/query-records.service.js';
import {
  recordEvent,
  refusalOf,
  refuseExcess,
  selectionByFilter,
  viewText,
  type WriteOptions,
  type Written,
} from './record-writes.js';
import type { UpdatedRecordsView, UpdatedView, UpdateRecordsBody } from './records.dto.js';
import { sharedUpdate, UPDATES } from './shared-updates.js';
import { SharedWrites } from './shared-writes.service.js';
import { type WriteAttempt, WriteAttempts } from './write-attempts.js';

const updatedView = <Count>({ matched, updated }: { matched: Count; updated: Count }) => ({
  matched_count: matched,
  updated_count: updated,
});
const updatedText: AnswerText = counts => viewText(updatedView(counts));

/** What a change statement returns: the counts, and the id when the selection asks for the oldest record. */
type ChangedCounts = [matched: number, updated: number, id?: string];

/** Applies updates to selected records: in one SQL statement where possible, else with LockedUpdates. */
@Injectable()
export class SelectionUpdates {
  constructor(
    private readonly store: RecordStore,
    private readonly transactions: RecordTransactions,
    private readonly lockedUpdates: LockedUpdates,
    private readonly sharedWrites: SharedWrites,
  ) {}

  /**
   * Rejects with 400, or with the database's error. When a number was out of range in SQL, the exact attempt reports which
   * one, or that the difference is lost in rounding.
   */
  async run(
    attempt: WriteAttempt,
    update: Update,
    selection: Selection,
    write: WriteOptions,
  ): Promise<Written> {
    const { current, until, isAlone, isExact } = attempt;
    const { collection: known } = current;
    const layout = layoutOf(known);
    const expires = write.expiresAt !== undefined;
    // Most callers have no rules, so the names of the fields are not needed.
    const collection = known.restricted ? forUpdate(known, namesOf(update, layout), { expires }) : known;
    const typed = typedUpdate(update, layout, write.now);
    const changes = isExact ? undefined : sqlChanges(typed, layout);
    if (changes === undefined) return this.lockedUpdates.run(attempt, collection, typed, selection, write);
    const shared = sharedUpdate(selection, changes, write, until);
    // Rules decide about each record, which the shared statement does not do.
    if (shared !== undefined && collection.writing === undefined)
      return this.sharedWrites.write(collection, UPDATES, shared, isAlone);
    const { description, dryRun, expiresAt } = write;
    const event = recordEvent(collection, description);
    const statement = changeStatement(collection, selection, { ...changes, expiresAt }, event);
    const options = { until, rights: description.call.rights, dryRun };
    const [matched, updated, id] = await (dryRun
      ? this.transactions.run(
          collection,
          transaction => this.transactions.write<ChangedCounts>(transaction, statement),
          options,
        )
      : this.store.write<ChangedCounts>(collection, statement, options));
    refuseExcess(selection, matched);
    return { matched, updated, id };
  }
}

/** Changes records that exist, one or all that a filter matches. */
@Injectable()
export class UpdateRecords {
  constructor(
    private readonly attempts: WriteAttempts,
    private readonly selectionUpdates: SelectionUpdates,
    private readonly queryRecords: QueryRecords,
    private readonly clock: Clock,
  ) {}

  /** Throws 404 `RecordNotFound`, and 412 unless its entity tag satisfies the condition. */
  async update(
    call: Call,
    access: Access,
    recordId: string,
    body: unknown,
    tag?: TagCondition,
  ): Promise<UpdatedView> {
    const update = parseUpdate(body);
    if (!isUuid(recordId)) throw recordNotFound();
    const written = await this.run(call, access, update, { recordId, tag });
    if (written.matched === 0) {
      const names = namesOf(update, layoutOf(access.collection));
      return this.queryRecords.refuseMissing(access, recordId, tag, { action: 'update', names });
    }
    return updatedView(written);
  }

  /** 403 without the right to read: the counts tell what records contain. */
  async updateMany(call: Call, access: Access, body: UpdateRecordsBody): Promise<UpdatedRecordsView> {
    requireRight(access, 'read');
    const update = parseUpdate(body.update);
    const selection = selectionByFilter(body);
    const written = await this.run(call, access, update, selection, body.dry_run);
    return { ...updatedView(written), ...(body.dry_run && { dry_run: true }) };
  }

  private run(
    call: Call,
    access: Access,
    update: Update,
    selection: Selection,
    dryRun?: boolean,
  ): Promise<Written> {
    const description = { call, type: 'collections.records.updated' as const, answer: updatedText };
    const write = { description, now: this.clock.now(), dryRun };
    return this.attempts.run(access, ({ collection }) => ({
      write: attempt => this.selectionUpdates.run(attempt, update, selection, write),
      refusal: error => refusalOf(selection)(error, collection),
      mayBeExact: true,
    }));
  }
}

/** The top-level fields that an update names, without those that are ignored. */
export function namesOf(update: Update, { ignored }: RecordLayout): string[] {
  return [...new Set(update.operations.flatMap(rootsOf))].filter(name => !ignored.has(name));
}

/**
 * The update for this collection: without system fields, with operands in the form that columns store. Throws 400 with
 * the column and its type for an operand that can never fit.
 */
export function typedUpdate(update: Update, layout: RecordLayout, now: Date): Update {
  const operations: Operation[] = [];
  for (const operation of update.operations) {
    if (rootsOf(operation).some(root => layout.ignored.has(root))) continue;
    const { path } = operation;
    operations.push(path.length > 1 ? operation : typed(operation, layout.column(path[0] as string), now));
  }
  return { operations };
}

function typed(operation: Operation, column: KnownColumn | undefined, now: Date): Operation {
  const { kind, path } = operation;
  if (kind === 'currentDate') return typed({ kind: 'set', path, value: dateFor(column, now) }, column, now);
  if (column === undefined) return operation;
  switch (kind) {
    case 'set':
    case 'setOnInsert':
      return { kind, path, value: fittingValue(column, operation.value) };
    case 'min':
    case 'max':
      // A value of another type is compared by its type, as in filters.
      return { kind, path, value: column.type.accept(operation.value) ?? operation.value };
    case 'inc':
    case 'mul':
      refuseUnless(column.type.accept(0) !== undefined, kind, 'a number', column);
      return operation;
    case 'unset':
    case 'rename':
      return operation;
    default:
      refuseUnless(column.type.accept([]) !== undefined, kind, 'an array', column);
      return operation;
  }
}

/** The date without time for a column that accepts no date-time. */
function dateFor(column: KnownColumn | undefined, now: Date): string {
  const instant = now.toISOString();
  const day = instant.slice(0, 10);
  return column?.type.accept(instant) === undefined && column?.type.accept(day) !== undefined ? day : instant;
}

function refuseUnless(fits: boolean, operator: string, needs: string, { name, type }: KnownColumn): void {
  if (!fits) throw invalid(`${name}: $${operator} needs ${needs}, the column is of the type ${type.name}`);
}

/**
 * A typed update as SQL expressions. Undefined when SQL would not give exactly the result of the operators, so that the
 * update needs the documents. Supports top-level fields only.
 */
export function sqlChanges(update: Update, layout: RecordLayout): FieldChanges | undefined {
  const columns: ColumnChange[] = [];
  const flexible: JsonObject = {};
  const removed: string[] = [];
  for (const operation of update.operations) {
    if (operation.kind === 'setOnInsert') continue;
    if (operation.path.length > 1) return undefined;
    const name = operation.path[0] as string;
    const column = layout.column(name);
    const change = column && columnChange(operation, column);
    if (change !== undefined) columns.push(change);
    else if (column !== undefined) return undefined;
    else if (operation.kind === 'set') flexible[name] = operation.value;
    else if (operation.kind === 'unset') removed.push(name);
    else return undefined;
  }
  return { columns, flexible, removed };
}

function columnChange(operation: Operation, column: KnownColumn): ColumnChange | undefined {
  const { kind } = operation;
  const { name } = column;
  switch (kind) {
    case 'set':
      return { column: name, change: 'set', value: operation.value };
    case 'unset':
      return { column: name, change: 'set', value: fittingValue(column, null) };
    case 'inc':
    case 'mul': {
      const { number } = operation;
      return isNumberOf(column, number) ? { column: name, change: kind, value: number } : undefined;
    }
    case 'min':
    case 'max': {
      const { value } = operation;
      return isNumberOf(column, value) ? { column: name, change: kind, value } : undefined;
    }
    default:
      return undefined;
  }
}

function isNumberOf({ type }: KnownColumn, value: JsonValue): boolean {
  return type.family === 'scalar' && typeof value === 'number' && type.accept(value) !== undefined;
}
