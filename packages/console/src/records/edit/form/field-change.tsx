import { Undo2 } from 'lucide-react';
import { t } from '../../../i18n/language.js';
import { IconButton } from '../../../ui/controls/button.js';
import type { GridRecord } from '../../window/page-slot.js';
import { markOf } from '../cell/cell-mark.js';
import { withoutCell } from '../model/staged-edits.js';
import type { Editing } from '../use-editing.js';
import styles from './form.module.css';

interface FieldChangeProps {
  readonly editing: Editing;
  readonly record: GridRecord;
  readonly name: string;
}

/** What the panel says of an unsaved change of a field. */
export function FieldChange({ editing, record, name }: FieldChangeProps) {
  const { rows, refusals } = editing.state;
  const mark = markOf(record, name, rows.get(record._id), refusals.get(record._id));
  if (mark === undefined) return null;
  return (
    <p className={styles.change} data-mark={mark.look}>
      {mark.text}
      <IconButton
        label={t('edit.discardChangeOf', { name })}
        icon={<Undo2 size={14} aria-hidden />}
        onClick={() => editing.store.change(before => withoutCell(before, record._id, name))}
      />
    </p>
  );
}
