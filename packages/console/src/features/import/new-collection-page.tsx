import { useQuery } from '@tanstack/react-query';
import { isAllowed } from '../../api/permissions.js';
import { meQuery } from '../../api/session.js';
import { t } from '../../i18n/language.js';
import { EmptyState } from '../../ui/states/empty-state.js';
import { Loading } from '../../ui/states/loading.js';
import styles from './import.module.css';
import { NewCollectionForm } from './new-collection-form.js';
import { DropZone } from './parts/drop-zone.js';
import { useChosenFile } from './parts/use-chosen-file.js';

/** Makes a new collection from a file. */
export function NewCollectionPage() {
  const { data: me } = useQuery(meQuery);
  const { file, choose, problem } = useChosenFile();
  if (me === undefined) return <Loading lines={4} />;
  return (
    <div className={styles.page}>
      <h1>{t('import.newTitle')}</h1>
      {!isAllowed(me, 'collections:create') ? (
        <EmptyState title={t('import.mayNotCreate')} />
      ) : file === undefined ? (
        <DropZone onFile={choose} problem={problem} />
      ) : (
        <NewCollectionForm chosen={file} />
      )}
    </div>
  );
}
