import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  type Ref,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useRef,
} from 'react';
import { ChangeEntries } from '../../edit/cell/change-entries.js';
import { useCellEditor } from '../../edit/cell/use-cell-editor.js';
import { useCellDrag } from '../../edit/clipboard/use-cell-drag.js';
import { useCellRange } from '../../edit/clipboard/use-cell-range.js';
import type { Clipboard } from '../../edit/clipboard/use-clipboard.js';
import type { Selection } from '../../edit/select/use-selection.js';
import type { Editing } from '../../edit/use-editing.js';
import type { RecordWindow } from '../../window/record-window.js';
import type { WindowState } from '../../window/window-state.js';
import type { ColumnTable, PlacedColumn } from '../columns/use-column-table.js';
import { CellMenus } from './cell-menus.js';
import { DataRow } from './data-row.js';
import styles from './grid.module.css';
import type { GridActions } from './grid-actions.js';
import { HeaderRow } from './header-row.js';
import { type CellPlace, HEADER } from './navigation.js';
import { HEADER_HEIGHT, ROW_HEIGHT } from './sizes.js';
import { useActiveCell } from './use-active-cell.js';
import { useGridEvents } from './use-grid-events.js';
import { useRowsInView } from './use-rows-in-view.js';

/** What others make the grid do. */
export interface GridHandle {
  /** Moves the focus to a row, in the column that had it last. */
  readonly focusRow: (row: number) => void;
  /** Shows a row without moving the focus. */
  readonly showRow: (row: number) => void;
}

interface DataGridProps {
  readonly window: RecordWindow;
  readonly state: WindowState;
  readonly table: ColumnTable;
  readonly actions: GridActions;
  readonly label: string;
  /** The records of the whole list, if somebody counted them. */
  readonly total: number | undefined;
  /** The id of the record whose panel is open. */
  readonly openRecord: string | undefined;
  /** Undefined for people who may only read. */
  readonly editing: Editing | undefined;
  /** The chosen records; undefined where records cannot be chosen. */
  readonly selection: Selection | undefined;
  /** Copies a range of cells, and pastes at one. */
  readonly clipboard: Clipboard;
  readonly onFailure: (error: unknown) => void;
  readonly handle: Ref<GridHandle>;
}

const sizesOf = (gutterWidth: number) =>
  ({
    '--row-height': `${ROW_HEIGHT}px`,
    '--header-height': `${HEADER_HEIGHT}px`,
    '--gutter-width': `${gutterWidth}px`,
  }) as CSSProperties;

/** The grid: virtual rows and columns over a window of records. */
export function DataGrid(props: DataGridProps) {
  const { window, state, table, actions, label, total, openRecord, handle } = props;
  const { editing, selection, clipboard, onFailure } = props;
  const { first, end } = state;
  const grid = useRef<HTMLDivElement>(null);
  const cell = useActiveCell(grid);
  const { columns, totalWidth, pinnedWidth } = table;
  // The row may be of another list, or forgotten: then Tab reaches the header.
  const isKnown = cell.place.row >= first && cell.place.row < end;
  const active: CellPlace = {
    row: isKnown ? cell.place.row : HEADER,
    column: Math.min(cell.place.column, columns.length),
  };
  const rows = useRowsInView(grid, window, state, active.row);
  const inView = useColumnsInView(grid, table, active.column);

  function goToCell(place: CellPlace): void {
    if (place.row !== HEADER) rows.scrollToRow(place.row);
    const column = columns[place.column - 1];
    const element = grid.current;
    if (element !== null && column !== undefined && !column.isPinned) {
      const { left, width } = column;
      if (left - pinnedWidth < element.scrollLeft) element.scrollLeft = left - pinnedWidth;
      else if (left + width > element.scrollLeft + element.clientWidth) {
        element.scrollLeft = Math.min(left + width - element.clientWidth, left - pinnedWidth);
      }
    }
    cell.focus(place);
  }

  useImperativeHandle(handle, () => ({
    focusRow: row => goToCell({ row, column: active.column }),
    showRow: rows.scrollToRow,
  }));

  const editor = useCellEditor({ editing, window, columns, goToCell, onFailure });
  const chosen = useCellRange(active);
  const { range } = chosen;
  const extent = { first, end, columns: columns.length + 1, pageRows: rows.pageRows };
  const { elementOf } = cell;
  const beginDrag = useCellDrag({ grid, gutterWidth: table.gutterWidth, extent, chosen, goToCell });
  const { menu, menuActions, copyValue, closeMenu, handlers } = useGridEvents({
    window,
    columns,
    extent,
    actions,
    goToCell,
    elementOf,
    beginEdit: editor.begin,
    active,
    chosen,
    beginDrag,
    selection,
    clipboard,
  });
  const rowCount = state.atStart && state.atEnd ? end - first : total;
  const before = beforeFirst(state, rowCount);
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a table cannot be virtual */}
      <div
        ref={grid}
        role="grid"
        aria-label={label}
        aria-rowcount={rowCount === undefined ? -1 : rowCount + 1}
        aria-colcount={columns.length + 1}
        aria-busy={state.isOpening}
        aria-multiselectable={selection !== undefined || undefined}
        className={styles.grid}
        style={sizesOf(table.gutterWidth)}
        onFocus={cell.onFocus}
        {...handlers}
      >
        {/* biome-ignore lint/a11y/useSemanticElements: a table cannot be virtual */}
        <div role="rowgroup" className={styles.headGroup}>
          <HeaderRow
            columns={inView}
            width={totalWidth}
            activePlace={active.row === HEADER ? active.column : -1}
            directionOf={actions.directionOf}
          />
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: a table cannot be virtual */}
        <div role="rowgroup" className={styles.body} style={{ height: rows.height, width: totalWidth }}>
          {rows.items.map(({ key, index, start }) => {
            const row = first + index;
            // Its page may be forgotten while somebody looks at other rows. The editor moves with its record.
            const isEdited = editor.open !== undefined && window.idAt(row) === editor.open.record._id;
            const record = window.at(row) ?? (isEdited ? editor.open?.record : undefined);
            const isInRange = range !== undefined && row >= range.top && row <= range.bottom;
            return (
              <DataRow
                key={isEdited ? editor.open?.record._id : key}
                index={row}
                record={record}
                columns={inView}
                activePlace={active.row === row ? active.column : -1}
                top={start - HEADER_HEIGHT}
                width={totalWidth}
                ariaRow={(before ?? 0) + index + 2}
                ordinal={before === undefined ? undefined : before + index + 1}
                isOpen={record !== undefined && record._id === openRecord}
                isChosen={selection && record && (selection.isAll || selection.ids.has(record._id))}
                rangeFrom={isInRange ? range.left : -1}
                rangeTo={isInRange ? range.right : -1}
                staged={record && editing?.state.rows.get(record._id)}
                refusal={record && editing?.state.refusals.get(record._id)}
                editedField={isEdited ? editor.open?.field : undefined}
                editor={isEdited ? editor.element : undefined}
              />
            );
          })}
        </div>
      </div>
      <CellMenus
        open={menu}
        onClose={closeMenu}
        actions={menuActions}
        copyValue={copyValue}
        changes={place =>
          editing !== undefined && (
            <ChangeEntries
              editing={editing}
              place={place}
              onFailure={onFailure}
              onEdit={editor.begin}
              onDelete={id => selection?.askToDelete([id])}
            />
          )
        }
      />
    </>
  );
}

/** The number of records before the first known one; undefined while nobody knows it. */
function beforeFirst(
  { first, end, zero, atEnd }: WindowState,
  total: number | undefined,
): number | undefined {
  if (zero !== undefined) return first - zero;
  return total !== undefined && atEnd ? total - (end - first) : undefined;
}

/** So few columns are all drawn. */
const FEW_COLUMNS = 12;

/** The columns to draw: pinned ones, those in the visible part with one more at both sides, and the one with the focus. */
function useColumnsInView(
  grid: RefObject<HTMLElement | null>,
  { columns, gutterWidth }: ColumnTable,
  activePlace: number,
): readonly PlacedColumn[] {
  const isWide = columns.length > FEW_COLUMNS;
  const virtualizer = useVirtualizer<HTMLElement, HTMLElement>({
    horizontal: true,
    enabled: isWide,
    count: columns.length,
    getScrollElement: () => grid.current,
    estimateSize: index => columns[index]?.width ?? 0,
    paddingStart: gutterWidth,
    overscan: 1,
    rangeExtractor: useCallback(
      (range: Parameters<typeof defaultRangeExtractor>[0]) => {
        const inView = new Set(defaultRangeExtractor(range));
        return columns.flatMap(({ isPinned, place }, index) =>
          isPinned || place === activePlace || inView.has(index) ? [index] : [],
        );
      },
      [columns, activePlace],
    ),
  });
  // The virtualizer keeps the widths that it has asked for.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the columns may have other widths
  useEffect(() => {
    if (isWide) virtualizer.measure();
  }, [virtualizer, columns, isWide]);
  return isWide ? virtualizer.getVirtualItems().flatMap(({ index }) => columns[index] ?? []) : columns;
}
