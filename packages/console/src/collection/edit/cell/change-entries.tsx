import { t } from '../../../i18n/language.js';
import { MenuItem, MenuSeparator } from '../../../ui/overlays/menu.js';
import type { MenuPlace } from '../../grid/table/cell-menus.js';
import type { CellPlace } from '../../grid/table/navigation.js';
import { placeOf } from '../../grid/table/use-active-cell.js';
import { stagedValue, withoutCell } from '../model/staged-edits.js';
import type { Editing } from '../use-editing.js';

interface ChangeEntriesProps {
  readonly editing: Editing;
  readonly place: MenuPlace;
  readonly onEdit: (place: CellPlace) => boolean;
}

/** The entries of the menu of a cell that change its value. */
export function ChangeEntries({ editing, place, onEdit }: ChangeEntriesProps) {
  const { record, column, anchor } = place;
  const field = column?.name;
  const typedColumn = field === undefined ? undefined : editing.columnOf(field);
  if (record === undefined || field === undefined || typedColumn === undefined) return null;
  const row = editing.state.rows.get(record._id);
  const value = stagedValue(row, field, record[field]);
  const set = (after: unknown) =>
    void editing
      .wholeValue(record, field)
      .then(({ whole, before }) =>
        editing.stage([{ record: editing.edited(whole), field, before, entered: { value: after } }]),
      );
  return (
    <>
      <MenuSeparator />
      <MenuItem
        onSelect={() => {
          const cell = placeOf(anchor);
          if (cell !== undefined) onEdit(cell);
        }}
      >
        {t('edit.editValue')}
      </MenuItem>
      {typedColumn.isNullable && value !== null && (
        <MenuItem onSelect={() => set(null)}>{t('edit.setNull')}</MenuItem>
      )}
      {typedColumn.type === 'flexible' && value !== undefined && (
        <MenuItem onSelect={() => set(undefined)}>{t('edit.removeField')}</MenuItem>
      )}
      {row?.fields[field] !== undefined && (
        <MenuItem onSelect={() => editing.store.change(rows => withoutCell(rows, record._id, field))}>
          {t('edit.discardChange')}
        </MenuItem>
      )}
    </>
  );
}
