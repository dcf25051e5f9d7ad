import { ArrowDown, ArrowUp, ChevronDown } from 'lucide-react';
import { t } from '../../../i18n/language.js';
import type { Direction } from '../columns/sort.js';
import type { PlacedColumn } from '../columns/use-column-table.js';
import styles from './grid.module.css';
import { HEADER } from './navigation.js';

interface HeaderRowProps {
  readonly columns: readonly PlacedColumn[];
  readonly width: number;
  readonly activePlace: number;
  readonly directionOf: (name: string) => Direction | undefined;
}

/** The names of the columns. A press sorts; the arrow at the right opens the menu of the column. */
export function HeaderRow({ columns, width, activePlace, directionOf }: HeaderRowProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the cells of a grid have the focus
    // biome-ignore lint/a11y/useSemanticElements: a table cannot be virtual
    <div role="row" aria-rowindex={1} className={styles.header} style={{ width }}>
      {/* biome-ignore lint/a11y/useSemanticElements: a table cannot be virtual */}
      <div
        role="columnheader"
        aria-colindex={1}
        tabIndex={activePlace === 0 ? 0 : -1}
        data-row={HEADER}
        data-place={0}
        className={styles.gutter}
      >
        <span className="visually-hidden">{t('records.record')}</span>
      </div>
      {columns.map(column => (
        <HeaderCell
          key={column.name}
          column={column}
          direction={directionOf(column.name)}
          isActive={activePlace === column.place}
        />
      ))}
    </div>
  );
}

interface HeaderCellProps {
  readonly column: PlacedColumn;
  readonly direction: Direction | undefined;
  readonly isActive: boolean;
}

function HeaderCell({ column, direction, isActive }: HeaderCellProps) {
  const { name, type, place, left, width, isPinned, onResizeStart } = column;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot be virtual
    <div
      role="columnheader"
      aria-colindex={place + 1}
      aria-sort={direction ?? 'none'}
      tabIndex={isActive ? 0 : -1}
      data-row={HEADER}
      data-place={place}
      className={`${styles.head} ${isPinned ? styles.pinned : styles.free}`}
      style={{ left, width }}
    >
      <span className={styles.name} title={`${name} (${t(`records.type_${type}`)})`}>
        {name}
      </span>
      <span className={styles.type}>{t(`records.type_${type}`)}</span>
      {direction === 'ascending' && <ArrowUp size={14} aria-hidden className={styles.arrow} />}
      {direction === 'descending' && <ArrowDown size={14} aria-hidden className={styles.arrow} />}
      <button
        type="button"
        tabIndex={-1}
        data-menu
        className={styles.menuButton}
        aria-label={t('records.columnMenu', { name })}
      >
        <ChevronDown size={14} aria-hidden />
      </button>
      <span aria-hidden className={styles.grip} data-grip onPointerDown={onResizeStart} />
    </div>
  );
}
