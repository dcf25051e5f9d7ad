import { Maximize2 } from 'lucide-react';
import { memo } from 'react';
import { language, t } from '../../../i18n/language.js';
import { LIVE_MARK } from '../../live/rows/live-rows.js';
import type { PlacedColumn } from '../columns/use-column-table.js';
import { cellValue } from '../values/cell-value.js';
import type { GridRecord } from '../window/page-slot.js';
import { CellContent } from './cell-content.js';
import styles from './grid.module.css';

interface DataRowProps {
  /** The index of the row in the window. */
  readonly index: number;
  /** Undefined while the record is read. */
  readonly record: GridRecord | undefined;
  readonly columns: readonly PlacedColumn[];
  /** The place of the cell that Tab reaches; -1 if it is in another row. */
  readonly activePlace: number;
  readonly top: number;
  readonly width: number;
  readonly ariaRow: number;
  /** The number of the row in the whole list, if it is known. */
  readonly ordinal: number | undefined;
  readonly isOpen: boolean;
}

/** One record. It is drawn again only if something of it changed. */
export const DataRow = memo(function DataRow(props: DataRowProps) {
  const { index, record, columns, activePlace, top, width, ariaRow, ordinal, isOpen } = props;
  const mark = record?.[LIVE_MARK];
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the cells of a grid have the focus
    // biome-ignore lint/a11y/useSemanticElements: a table cannot be virtual
    <div
      role="row"
      aria-rowindex={ariaRow}
      aria-selected={isOpen || undefined}
      aria-busy={record === undefined || undefined}
      data-live={mark}
      className={styles.row}
      style={{ transform: `translateY(${top}px)`, width }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: a table cannot be virtual */}
      <div
        role="gridcell"
        aria-colindex={1}
        tabIndex={activePlace === 0 ? 0 : -1}
        data-row={index}
        data-place={0}
        className={styles.gutter}
      >
        {mark !== undefined && (
          <span className="visually-hidden">
            {t(mark === 'deleted' ? 'live.rowDeleted' : 'live.rowChanged')}
          </span>
        )}
        {record !== undefined && (
          <button
            type="button"
            tabIndex={-1}
            className={styles.opener}
            data-opens
            aria-label={`${t('records.openRecord')} ${ordinal ?? ''}`.trim()}
            title={t('records.openRecord')}
          >
            <span className={styles.ordinal}>{ordinal}</span>
            <Maximize2
              size={13}
              aria-hidden
              className={ordinal === undefined ? undefined : styles.openIcon}
            />
          </button>
        )}
      </div>
      {columns.map(column => (
        <DataCell key={column.name} {...{ index, record, column }} isActive={activePlace === column.place} />
      ))}
    </div>
  );
});

interface DataCellProps {
  readonly index: number;
  readonly record: GridRecord | undefined;
  readonly column: PlacedColumn;
  readonly isActive: boolean;
}

function DataCell({ index, record, column, isActive }: DataCellProps) {
  const { name, type, place, left, width, isPinned } = column;
  const value = record === undefined ? undefined : cellValue(record, name, type, language());
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot be virtual
    <div
      role="gridcell"
      aria-colindex={place + 1}
      tabIndex={isActive ? 0 : -1}
      data-row={index}
      data-place={place}
      data-kind={value?.kind}
      className={`${styles.cell} ${isPinned ? styles.pinned : styles.free}`}
      style={{ left, width }}
    >
      {value === undefined ? <span className={styles.waiting} /> : <CellContent value={value} />}
    </div>
  );
}
