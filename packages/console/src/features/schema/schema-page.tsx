import { collectionRoute } from '../../api/collection-route.js';
import { t } from '../../i18n/language.js';
import { Loading } from '../../ui/states/loading.js';
import { ColumnsSection } from './columns/columns-section.js';
import { DetailsSection } from './details/details-section.js';
import { AdviceSection } from './indexes/advice-section.js';
import { IndexesSection } from './indexes/indexes-section.js';
import { RunningChange } from './running-change.js';
import styles from './schema.module.css';
import { useSchema } from './use-schema.js';

/** Columns, indexes and settings of one collection. Who may not change them reads them. */
export function SchemaPage() {
  const { collection } = collectionRoute.useParams();
  const info = useSchema(collection);
  if (info === undefined) return <Loading lines={8} />;
  const mayManage = info.my_rights.includes('manage');
  const mayChange = mayManage && info.status === 'ready';
  return (
    // Without a control the keyboard needs something to scroll with.
    <section aria-label={t('schema.title')} className={styles.page} tabIndex={mayManage ? undefined : 0}>
      <RunningChange info={info} mayAbandon={mayManage} />
      {!mayManage && <p className={styles.quiet}>{t('schema.readOnly')}</p>}
      <ColumnsSection info={info} mayChange={mayChange} />
      <IndexesSection info={info} mayChange={mayChange} />
      {mayManage && <AdviceSection info={info} mayChange={mayChange} />}
      <DetailsSection key={info.collection_id} info={info} mayChange={mayManage} />
    </section>
  );
}
