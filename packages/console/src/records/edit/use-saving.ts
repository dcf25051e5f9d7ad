import { useMutation, useQueryClient } from '@tanstack/react-query';
import {
  type AnyCollection,
  BatchConflictError,
  type BatchResult,
  type Collection,
  NetworkError,
  newIdempotencyKey,
  TcError,
} from '@typed-collections/client';
import { useMemo, useRef, useState } from 'react';
import { serviceUnreachable, useFlag } from '../../api/page-flags.js';
import { noticeFailure } from '../../api/query-client.js';
import { t } from '../../i18n/language.js';
import { isSystemField } from '../grid/columns/columns.js';
import {
  type Conflict,
  inverseOf,
  type Operation,
  operationsOf,
  type RefusedOperation,
  refusalsOf,
} from './model/batch.js';
import { BatchSender, type SavedBatch } from './model/batch-sender.js';
import { conflictsOf } from './model/records.js';
import { type StagedRows, withoutRow } from './model/staged-edits.js';
import type { StagedStore } from './model/staged-store.js';
import type { StoredBatch } from './model/stored-batch.js';

export interface Saving {
  readonly isPending: boolean;
  /** Why nothing was saved, unless it is shown at the records. */
  readonly error: unknown;
  /** Records that somebody else changed first: nothing is saved until somebody chooses. */
  readonly conflicts: readonly Conflict[];
  readonly save: () => void;
  /** Puts changes on top of what the others saved. They are saved with the next `save`. */
  readonly settle: (rows: StagedRows) => void;
  /** Leaves the conflicts as they are; the next `save` finds them again. */
  readonly keepConflicts: () => void;
  /** The last write, until something else is saved. */
  readonly done: Written | undefined;
  readonly undoSaved: () => void;
  /** Deletes records at once. Those that are given whole can be inserted again, with new ids. */
  readonly remove: (operations: readonly Operation[], whole: readonly object[]) => Promise<void>;
  /** Writes all records that match at once. `write` resolves to their number. */
  readonly writeMatching: (
    state: 'changed' | 'deleted',
    write: (correlationId: string) => Promise<number>,
  ) => Promise<void>;
  /** The last write was undone by the history of the collection. */
  readonly markUndone: () => void;
  readonly forgetDone: () => void;
}

/** The last write, and how it can be undone. */
interface Written {
  readonly records: number;
  /** What people call the saved records, in the order of the operations. */
  readonly titles: readonly string[];
  readonly inserted: number;
  /** The operations that take it back, if the page knows them. */
  readonly inverse: readonly Operation[];
  /** The write, for the history of the collection to undo it. */
  readonly correlationId?: string;
  /** `undone` after it was taken back, `refused` if somebody has changed its records since. */
  readonly state: 'saved' | 'changed' | 'deleted' | 'undone' | 'refused';
}

const NO_UNDO = { titles: [], inserted: 0, inverse: [] } as const;

interface SavingOptions {
  readonly collection: Collection<AnyCollection>;
  readonly store: StagedStore;
  readonly uncertain: StoredBatch;
  /** Saves while no other tab of the browser does. */
  readonly alone: (save: () => Promise<void>) => Promise<void>;
  /** Reads records again that the grid shows. */
  readonly onWritten: (ids: readonly string[]) => Promise<void>;
}

/** Saves all changes in one transaction, and takes back what was saved last. */
export function useSaving({ collection, store, uncertain, alone, onWritten }: SavingOptions): Saving {
  const queries = useQueryClient();
  const [conflicts, setConflicts] = useState<readonly Conflict[]>([]);
  const [done, setDone] = useState<Written>();
  /** The changes that were refused: when others take their place, the refusal is over. */
  const failed = useRef<StagedRows>(undefined);
  const sender = useMemo(
    () =>
      new BatchSender(store, uncertain, (rows, idempotencyKey) =>
        collection.batch(operationsOf(rows), { idempotencyKey }),
      ),
    [store, uncertain, collection],
  );

  const written = async ({ results }: BatchResult) => {
    void queries.invalidateQueries({ queryKey: ['record', collection.id] });
    void queries.invalidateQueries({ queryKey: ['chart-data'] });
    // Everything is saved, whether the grid can be read again or not.
    await onWritten(results.map(({ _id }) => _id)).catch(noticeFailure);
  };

  const onSaved = async ({ rows, result }: SavedBatch) => {
    const inserted = [...rows.values()].filter(({ kind }) => kind === 'inserted').length;
    const titles = [...rows.values()].map(({ title }) => title);
    setDone({ records: rows.size, titles, inserted, inverse: inverseOf(rows, result), state: 'saved' });
    await written(result);
  };

  const saving = useMutation({
    mutationFn: () => alone(() => sender.save(onSaved)),
    onError: async error => {
      const { sent } = sender;
      failed.current = store.getState().rows;
      if (error instanceof BatchConflictError) {
        const ids = [...sent.keys()];
        const changed = error.details.flatMap(({ index }) => ids[index] ?? []);
        setConflicts(await conflictsOf(collection, store.getState().rows, changed));
      } else if (error instanceof TcError && (error.status === 400 || error.status === 422)) {
        // Somebody may have changed a column.
        void queries.invalidateQueries({ queryKey: ['collection'] });
      }
      if (error instanceof TcError && error.status === 422 && Array.isArray(error.details)) {
        store.refuse(refusalsOf(sent, error.details, refusalText));
      }
    },
  });

  const undoing = useMutation({
    mutationFn: async (batch: Written) => collection.batch(batch.inverse),
    onSuccess: async (result, batch) => {
      setDone({ ...batch, inverse: [], state: 'undone' });
      await written(result);
    },
    onError: (error, batch) => {
      if (!(error instanceof BatchConflictError)) return;
      const titles = error.details.flatMap(({ index }) => batch.titles[index] ?? []);
      setDone({ ...batch, records: titles.length, titles, inverse: [], state: 'refused' });
    },
  });

  const keepConflicts = () => {
    setConflicts([]);
    saving.reset();
  };

  // What failed only because the service was away is no news once it is back.
  const isOver = useFlag(serviceUnreachable) === false && saving.error instanceof NetworkError;
  const refusal = !isOver && failed.current === store.getState().rows ? saving.error : null;
  return {
    isPending: saving.isPending || undoing.isPending,
    error: conflicts.length > 0 ? undefined : (refusal ?? undoing.error ?? undefined),
    conflicts,
    save: () => {
      undoing.reset();
      setDone(undefined);
      saving.mutate();
    },
    settle: rows => {
      keepConflicts();
      store.change(() => rows);
    },
    keepConflicts,
    done,
    undoSaved: () => {
      if (done !== undefined && done.inverse.length > 0) undoing.mutate(done);
    },
    remove: async (operations, whole) => {
      const correlationId = newIdempotencyKey();
      const result = await collection.batch(operations, { correlationId });
      undoing.reset();
      const inverse = whole.map((record): Operation => ({ insert: withoutSystemFields(record) }));
      setDone({ ...NO_UNDO, records: operations.length, inverse, correlationId, state: 'deleted' });
      store.change(rows => result.results.reduce((left, { _id }) => withoutRow(left, _id), rows));
      await written(result);
    },
    writeMatching: async (state, write) => {
      const correlationId = newIdempotencyKey();
      const records = await write(correlationId);
      undoing.reset();
      setDone({ ...NO_UNDO, records, correlationId, state });
    },
    markUndone: () => setDone(last => last && { ...NO_UNDO, records: last.records, state: 'undone' }),
    forgetDone: () => {
      setDone(undefined);
      undoing.reset();
    },
  };
}

function refusalText({ problem, properties = [] }: RefusedOperation): string {
  return problem ?? t('edit.problem_unique', { columns: properties.join(', ') });
}

function withoutSystemFields(record: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !isSystemField(name)));
}
