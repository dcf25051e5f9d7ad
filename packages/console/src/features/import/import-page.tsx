import { useQuery } from '@tanstack/react-query';
import { collectionQuery } from '../../api/collection-query.js';
import { collectionRoute } from '../../api/collection-route.js';
import { t } from '../../i18n/language.js';
import { EmptyState } from '../../ui/states/empty-state.js';
import { Loading } from '../../ui/states/loading.js';
import styles from './import.module.css';
import { ImportForm } from './import-form.js';
import { DropZone } from './parts/drop-zone.js';
import { useChosenFile } from './parts/use-chosen-file.js';

/** Imports a file into a collection. */
export function ImportPage() {
  const { collection } = collectionRoute.useParams();
  const { data: info } = useQuery(collectionQuery(collection));
  const { file, choose, problem } = useChosenFile();
  if (info === undefined) return <Loading lines={4} />;
  if (!info.my_rights.includes('write')) return <EmptyState title={t('import.readOnly')} />;
  return (
    <div className={styles.page}>
      {file === undefined ? (
        <DropZone onFile={choose} problem={problem} />
      ) : (
        <ImportForm
          key={JSON.stringify([info.collection_id, file.samples.names])}
          info={info}
          chosen={file}
        />
      )}
    </div>
  );
}
