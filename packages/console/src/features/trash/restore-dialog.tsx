import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { t } from '../../i18n/language.js';
import { CollectionNameField } from '../../ui/controls/collection-name-field.js';
import { FormDialog } from '../../ui/overlays/form-dialog.js';
import { TRASH, type Trashed } from './queries.js';
import styles from './trash.module.css';

interface RestoreDialogProps {
  readonly item: Trashed;
  readonly onClose: () => void;
}

/** Brings a deleted collection back and opens it. Its name can be changed, because it may be taken by now. */
export function RestoreDialog({ item: { collection_id, name: before }, onClose }: RestoreDialogProps) {
  const [name, setName] = useState(before);
  const cache = useQueryClient();
  const navigate = useNavigate();
  const send = async () => {
    await api.collections.restoreCollection({ collection_id, ...(name !== before && { name }) });
    await Promise.all([
      cache.invalidateQueries({ queryKey: TRASH }),
      cache.invalidateQueries({ queryKey: ['collections'] }),
      cache.resetQueries({ queryKey: ['collection', collection_id] }),
    ]);
    await navigate({ to: '/collections/$collection', params: { collection: collection_id } });
  };
  return (
    <FormDialog
      title={t('collections.trash_restoreTitle', { name: before })}
      action={t('collections.trash_restore')}
      onClose={onClose}
      send={send}
    >
      <p className={styles.quiet}>{t('collections.trash_restoreText')}</p>
      <CollectionNameField value={name} onChange={setName} />
    </FormDialog>
  );
}
