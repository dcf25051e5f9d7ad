import { Maximize2 } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { language, t } from '../../../i18n/language.js';
import { type CellMark, markOf, withChanges } from '../../edit/cell/cell-mark.js';
import type { StagedRow } from '../../edit/model/staged-edits.js';
import type { Refusal } from '../../edit/model/staged-store.js';
import { LIVE_MARK } from '../../live/rows/live-rows.js';
import { cellValue } from '../../values/cell-value.js';
import type { GridRecord } from '../../window/page-slot.js';
import type { PlacedColumn } from '../columns/use-column-table.js';
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
  /** True if the record is chosen; undefined where records cannot be chosen. */
  readonly isChosen: boolean | undefined;
  /** The first and the last place of the cells that are chosen for the clipboard. */
  readonly rangeFrom: number;
  readonly rangeTo: number;
  /** The changes of the record that are not saved. */
  readonly staged: StagedRow | undefined;
  readonly refusal: Refusal | undefined;
  /** The field whose editor is open. */
  readonly editedField: string | undefined;
  readonly editor: ReactNode;
}

/** One record. It is drawn again only if something of it changed. */
export const DataRow = memo(function DataRow(props: DataRowProps) {
  const { index, record, columns, activePlace, top, width, ariaRow, ordinal, isOpen } = props;
  const { isChosen, rangeFrom, rangeTo, staged, refusal, editedField, editor } = props;
  const mark = record?.[LIVE_MARK];
  const shown = record && withChanges(record, staged);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the cells of a grid have the focus
    // biome-ignore lint/a11y/useSemanticElements: a table cannot be virtual
    <div
      role="row"
      aria-rowindex={ariaRow}
      aria-selected={isChosen}
      aria-current={isOpen || undefined}
      aria-busy={record === undefined || undefined}
      data-live={mark}
      data-editing={editedField !== undefined || undefined}
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
        {record !== undefined && isChosen !== undefined && (
          <input
            type="checkbox"
            tabIndex={-1}
            readOnly
            data-chooses
            checked={isChosen}
            aria-label={`${t('edit.choose')} ${ordinal ?? ''}`.trim()}
            className={styles.chooser}
          />
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
        <DataCell
          key={column.name}
          index={index}
          column={column}
          record={shown}
          mark={record && markOf(record, column.name, staged, refusal)}
          isActive={activePlace === column.place}
          isInRange={column.place >= rangeFrom && column.place <= rangeTo}
          editor={editedField === column.name ? editor : undefined}
        />
      ))}
    </div>
  );
});

interface DataCellProps {
  readonly index: number;
  readonly record: GridRecord | undefined;
  readonly column: PlacedColumn;
  readonly mark: CellMark | undefined;
  readonly isActive: boolean;
  readonly isInRange: boolean;
  readonly editor: ReactNode;
}

function DataCell({ index, record, column, mark, isActive, isInRange, editor }: DataCellProps) {
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
      data-mark={mark?.look}
      data-range={isInRange || undefined}
      title={mark?.text}
      className={`${styles.cell} ${isPinned ? styles.pinned : styles.free}`}
      style={{ left, width }}
    >
      {value === undefined ? <span className={styles.waiting} /> : <CellContent value={value} />}
      {mark !== undefined && <span className="visually-hidden">({mark.text})</span>}
      {editor}
    </div>
  );
}
