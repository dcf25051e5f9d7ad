import type { AnyCollection, Collection } from '@typed-collections/client';
import type { RefObject } from 'react';
import { recordsRoute } from '../../api/routes.js';
import { t } from '../../i18n/language.js';
import { wholeText } from '../values/cell-value.js';
import type { GridRecord } from '../window/page-slot.js';
import type { RecordWindow } from '../window/record-window.js';
import { withCondition } from './actions/conditions.js';
import { copyText } from './actions/copy.js';
import { directionOf } from './columns/sort.js';
import type { ColumnChoice } from './columns/use-column-choice.js';
import type { ColumnTable, PlacedColumn } from './columns/use-column-table.js';
import type { GridHandle } from './table/data-grid.js';
import type { GridActions } from './table/grid-actions.js';

interface GridActionsOptions {
  readonly collection: Collection<AnyCollection>;
  readonly window: RecordWindow;
  readonly choice: ColumnChoice;
  readonly table: ColumnTable;
  readonly grid: RefObject<GridHandle | null>;
  /** Says to screen readers what happened. */
  readonly announce: (text: string) => void;
  /** Shows why something failed. */
  readonly onFailure: (error: unknown) => void;
}

export interface RecordActions {
  readonly openRecord: (id: string | undefined, replace?: boolean) => void;
  readonly copy: (text: string | Promise<string>) => void;
  readonly goToEnd: () => Promise<void>;
  readonly filterBy: (field: string, value: unknown) => void;
}

/** What keys, menus and the panel do with columns and records. */
export function useGridActions(options: GridActionsOptions): GridActions & RecordActions {
  const { collection, window, choice, table, grid, announce, onFailure } = options;
  const { sort, as_of: asOf } = recordsRoute.useSearch();
  const navigate = recordsRoute.useNavigate();

  const openRecord = (id: string | undefined, replace = false) =>
    void navigate({ search: before => ({ ...before, record: id }), replace });

  const copy = (text: string | Promise<string>) => {
    copyText(text).then(() => announce(t('common.copied')), onFailure);
  };

  /** The record with whole values. Those of the grid are cut. */
  const whole = async (record: GridRecord): Promise<Record<string, unknown>> => {
    const { _etag, _cut, ...known } = record;
    if (_cut === undefined) return known;
    const { _etag: _, ...read } = await collection.get(record._id, { asOf });
    return read;
  };

  const filterBy = (field: string, value: unknown) =>
    void navigate({
      search: ({ record: _, ...before }) => ({
        ...before,
        filter: withCondition(before.filter, field, value),
      }),
    });

  /** Reads the last page anew, which may have new records. */
  async function goToEnd(): Promise<void> {
    try {
      await window.jump({ cursor: 'end' });
      grid.current?.focusRow(window.getState().end - 1);
    } catch (error) {
      onFailure(error);
    }
  }

  async function goTo(end: 'first' | 'last'): Promise<void> {
    const { atStart, atEnd } = window.getState();
    try {
      if (!(end === 'first' ? atStart : atEnd)) await window.jump({ cursor: end === 'first' ? '' : 'end' });
      const { first, end: after } = window.getState();
      grid.current?.focusRow(end === 'first' ? first : after - 1);
    } catch (error) {
      onFailure(error);
    }
  }

  const resize = (column: PlacedColumn, width: number) => {
    table.resize(column.name, width);
    announce(t('records.resized', { name: column.name, width }));
  };

  return {
    openRecord,
    copy,
    filterBy,
    goTo,
    goToEnd,
    resize,
    open: record => openRecord(record._id),
    copyRecord: record => copy(whole(record).then(read => wholeText(read, 2))),
    filterByValue: (record, { name }) => {
      if (record._cut?.includes(name) !== true) filterBy(name, record[name]);
      else whole(record).then(read => filterBy(name, read[name]), onFailure);
    },
    sort: ({ name }, direction) => {
      choice.sort(name, direction);
      announce(
        direction === undefined
          ? t('records.unsorted')
          : t(direction === 'ascending' ? 'records.sortedAscending' : 'records.sortedDescending', { name }),
      );
    },
    resetWidth: ({ name }) => table.resetWidth(name),
    move: ({ name }, by) => {
      choice.move(name, by);
      announce(t(by < 0 ? 'records.movedLeft' : 'records.movedRight', { name }));
    },
    pin: ({ name }, isPinned) => table.pin(name, isPinned),
    hide: ({ name }) => choice.show(name, false),
    directionOf: name => directionOf(sort, name),
  };
}
