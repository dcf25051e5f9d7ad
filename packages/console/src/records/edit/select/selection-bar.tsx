import { useQuery } from '@tanstack/react-query';
import { Pencil, Trash2, X } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { featuresQuery } from '../../../api/session.js';
import { t } from '../../../i18n/language.js';
import { Button, IconButton } from '../../../ui/controls/button.js';
import type { Changed } from './changed-records.js';
import styles from './select.module.css';
import type { Selection } from './use-selection.js';

const BulkEditDialog = lazy(async () => ({
  default: (await import('./bulk-edit-dialog.js')).BulkEditDialog,
}));
const DeleteDialog = lazy(async () => ({ default: (await import('./delete-dialog.js')).DeleteDialog }));

interface SelectionBarProps {
  readonly selection: Selection;
  readonly changed: Changed;
}

/** What can be done with the chosen records. */
export function SelectionBar({ selection, changed }: SelectionBarProps) {
  const { data: features } = useQuery(featuresQuery);
  const [isEdited, setEdited] = useState(false);
  const { ids, isAll, chooseAll, clear, asked, askToDelete, endQuestion } = selection;
  const isShown = isAll || ids.size > 0;
  return (
    <section aria-label={t('edit.selection')} className={isShown ? styles.bar : 'visually-hidden'}>
      <p role="status">{isShown && (isAll ? t('edit.allChosen') : t('edit.chosen', { count: ids.size }))}</p>
      {isShown && (
        <>
          {!isAll && (
            <Button look="plain" onClick={chooseAll}>
              {t('edit.chooseAll')}
            </Button>
          )}
          <Button icon={<Pencil size={15} aria-hidden />} onClick={() => setEdited(true)}>
            {t('edit.bulkEdit')}
          </Button>
          {(!isAll || features?.bulk_delete === true) && (
            <Button
              icon={<Trash2 size={15} aria-hidden />}
              onClick={() => askToDelete(isAll ? 'all' : [...ids])}
            >
              {t('edit.delete')}
            </Button>
          )}
          <IconButton label={t('edit.clearSelection')} icon={<X size={16} aria-hidden />} onClick={clear} />
        </>
      )}
      <Suspense>
        {isEdited && (
          <BulkEditDialog selection={selection} changed={changed} onClose={() => setEdited(false)} />
        )}
        {asked !== undefined && (
          <DeleteDialog records={asked} changed={changed} onDeleted={clear} onClose={endQuestion} />
        )}
      </Suspense>
    </section>
  );
}
