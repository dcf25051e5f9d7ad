import type { ReactNode } from 'react';
import { t } from '../../../i18n/language.js';
import { AnchoredMenu, MenuChoice, MenuItem, MenuSeparator } from '../../../ui/overlays/menu.js';
import type { GridRecord } from '../../window/page-slot.js';
import { isFilterable } from '../actions/conditions.js';
import type { PlacedColumn } from '../columns/use-column-table.js';
import type { GridActions } from './grid-actions.js';

export const WIDTH_STEP = 24;

/** The cell whose menu is open. Without a record it is the header of the column. */
export interface MenuPlace {
  readonly anchor: HTMLElement;
  readonly record: GridRecord | undefined;
  readonly column: PlacedColumn | undefined;
}

interface CellMenusProps {
  readonly open: MenuPlace | undefined;
  readonly onClose: () => void;
  readonly actions: GridActions;
  readonly copyValue: (record: GridRecord, column: PlacedColumn) => void;
  /** Entries that change the record. */
  readonly changes: (place: MenuPlace) => ReactNode;
}

/** The menu of a cell or of a column, opened by the right button, the menu key or Shift+F10. */
export function CellMenus({ open, onClose, actions, copyValue, changes }: CellMenusProps) {
  const { anchor, record, column } = open ?? {};
  const label = column === undefined ? t('records.record') : t('records.columnMenu', { name: column.name });
  return (
    <AnchoredMenu anchor={anchor} label={label} onClose={onClose}>
      {record !== undefined && (
        <RecordEntries record={record} column={column} actions={actions} copyValue={copyValue} />
      )}
      {open !== undefined && record !== undefined && changes(open)}
      {record === undefined && column !== undefined && <ColumnEntries column={column} actions={actions} />}
    </AnchoredMenu>
  );
}

interface RecordEntriesProps extends Pick<CellMenusProps, 'actions' | 'copyValue'> {
  readonly record: GridRecord;
  readonly column: PlacedColumn | undefined;
}

function RecordEntries({ record, column, actions, copyValue }: RecordEntriesProps) {
  return (
    <>
      <MenuItem onSelect={() => actions.open(record)}>{t('records.openRecord')}</MenuItem>
      {column !== undefined && (
        <MenuItem onSelect={() => copyValue(record, column)}>{t('records.copyValue')}</MenuItem>
      )}
      <MenuItem onSelect={() => actions.copyRecord(record)}>{t('records.copyRecord')}</MenuItem>
      {column !== undefined && isFilterable(column.name, record[column.name]) && (
        <MenuItem onSelect={() => actions.filterByValue(record, column)}>{t('records.useAsFilter')}</MenuItem>
      )}
    </>
  );
}

function ColumnEntries({
  column,
  actions,
}: {
  readonly column: PlacedColumn;
  readonly actions: GridActions;
}) {
  const { isPinned, width, name } = column;
  return (
    <>
      <MenuChoice
        label={t('records.sort')}
        value={actions.directionOf(name) ?? 'none'}
        choices={[
          { value: 'ascending', label: t('records.sortAscending') },
          { value: 'descending', label: t('records.sortDescending') },
          { value: 'none', label: t('records.sortNone') },
        ]}
        onChange={chosen => actions.sort(column, chosen === 'none' ? undefined : chosen)}
      />
      <MenuSeparator />
      <MenuItem keepsOpen onSelect={() => actions.move(column, -1)}>
        {t('records.moveLeft')}
      </MenuItem>
      <MenuItem keepsOpen onSelect={() => actions.move(column, 1)}>
        {t('records.moveRight')}
      </MenuItem>
      <MenuItem keepsOpen onSelect={() => actions.resize(column, width + WIDTH_STEP)}>
        {t('records.wider')}
      </MenuItem>
      <MenuItem keepsOpen onSelect={() => actions.resize(column, width - WIDTH_STEP)}>
        {t('records.narrower')}
      </MenuItem>
      <MenuItem onSelect={() => actions.resetWidth(column)}>{t('records.resetWidth')}</MenuItem>
      <MenuSeparator />
      <MenuItem onSelect={() => actions.pin(column, !isPinned)}>
        {isPinned ? t('records.unpin') : t('records.pin')}
      </MenuItem>
      <MenuItem onSelect={() => actions.hide(column)}>{t('records.hide')}</MenuItem>
    </>
  );
}
