import type { GridRecord } from '../../window/page-slot.js';
import type { Direction } from '../columns/sort.js';
import type { PlacedColumn } from '../columns/use-column-table.js';

/** What the grid lets people do with columns and records. */
export interface GridActions {
  readonly open: (record: GridRecord) => void;
  /** Goes to the first or last record of the list, which may not be read yet. */
  readonly goTo: (end: 'first' | 'last') => Promise<void>;
  readonly copyRecord: (record: GridRecord) => void;
  readonly filterByValue: (record: GridRecord, column: PlacedColumn) => void;
  readonly sort: (column: PlacedColumn, direction: Direction | undefined) => void;
  readonly resize: (column: PlacedColumn, width: number) => void;
  readonly resetWidth: (column: PlacedColumn) => void;
  readonly move: (column: PlacedColumn, by: number) => void;
  readonly pin: (column: PlacedColumn, isPinned: boolean) => void;
  readonly hide: (column: PlacedColumn) => void;
  readonly directionOf: (name: string) => Direction | undefined;
}
