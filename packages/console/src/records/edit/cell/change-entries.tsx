import { t } from '../../../i18n/language.js';
import { MenuItem, MenuSeparator } from '../../../ui/overlays/menu.js';
import type { MenuPlace } from '../../grid/table/cell-menus.js';
import type { CellPlace } from '../../grid/table/navigation.js';
import { placeOf } from '../../grid/table/use-active-cell.js';
import type { GridRecord } from '../../window/page-slot.js';
import { stagedValue, withoutCell } from '../model/staged-edits.js';
import type { Editing } from '../use-editing.js';

interface ChangeEntriesProps {
  readonly editing: Editing;
  readonly place: MenuPlace;
  readonly onEdit: (place: CellPlace) => boolean;
  readonly onDelete: (id: string) => void;
  readonly onFailure: (error: unknown) => void;
}

/** The entries of the menu of a cell that change its record. */
export function ChangeEntries({ editing, place, onEdit, onDelete, onFailure }: ChangeEntriesProps) {
  const { record, column, anchor } = place;
  if (record === undefined) return null;
  return (
    <>
      <MenuSeparator />
      {column !== undefined && (
        <ValueEntries
          editing={editing}
          record={record}
          onFailure={onFailure}
          field={column.name}
          onEdit={() => {
            const cell = placeOf(anchor);
            if (cell !== undefined) onEdit(cell);
          }}
        />
      )}
      <MenuItem onSelect={() => onDelete(record._id)}>{t('edit.deleteRecord')}</MenuItem>
    </>
  );
}

interface ValueEntriesProps {
  readonly editing: Editing;
  readonly record: GridRecord;
  readonly field: string;
  readonly onEdit: () => void;
  readonly onFailure: (error: unknown) => void;
}

function ValueEntries({ editing, record, field, onEdit, onFailure }: ValueEntriesProps) {
  const column = editing.columnOf(field);
  if (column === undefined) return null;
  const row = editing.state.rows.get(record._id);
  const value = stagedValue(row, field, record[field]);
  const set = (after: unknown) =>
    void editing
      .wholeValue(record, field)
      .then(
        ({ whole, before }) =>
          editing.stage([{ record: editing.edited(whole), field, before, entered: { value: after } }]),
        onFailure,
      );
  return (
    <>
      <MenuItem onSelect={onEdit}>{t('edit.editValue')}</MenuItem>
      {column.isNullable && value !== null && (
        <MenuItem onSelect={() => set(null)}>{t('edit.setNull')}</MenuItem>
      )}
      {column.type === 'flexible' && value !== undefined && (
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
