import { useQueryClient } from '@tanstack/react-query';
import { TcError } from '@typed-collections/client';
import { api } from '../../api/client.js';
import type { CollectionInfo } from '../../api/collection-query.js';
import { collectionRoute } from '../../api/collection-route.js';
import { t } from '../../i18n/language.js';
import { ConfirmButton } from '../../ui/overlays/confirm-dialog.js';
import { Refusal } from './refusal/refusal.js';
import styles from './schema.module.css';
import { refreshCollection } from './use-schema.js';

interface RunningChangeProps {
  readonly info: CollectionInfo;
  readonly mayAbandon: boolean;
}

/** How far a change of a large collection is, or why the last one failed. */
export function RunningChange({ info, mayAbandon }: RunningChangeProps) {
  const { change, status } = info;
  if (change?.state === 'running') return <Progress info={info} change={change} mayAbandon={mayAbandon} />;
  return (
    <>
      {status === 'building' && (
        <p role="status" className={styles.banner}>
          {t('schema.buildingIndexes')}
        </p>
      )}
      {change?.state === 'failed' && (
        <section className={styles.stack} aria-label={t('schema.failed')}>
          <h2>{t('schema.failed')}</h2>
          <Refusal error={failureOf(change.error)} />
        </section>
      )}
    </>
  );
}

interface ProgressProps extends RunningChangeProps {
  readonly change: NonNullable<CollectionInfo['change']>;
}

function Progress({ info, change: { done_rows, total_rows }, mayAbandon }: ProgressProps) {
  const { collection } = collectionRoute.useParams();
  const queries = useQueryClient();
  const abandon = async () => {
    await api.schema.abandonSchemaChange({ collection_id: info.collection_id });
    await refreshCollection(queries, collection);
  };
  return (
    <div className={styles.banner}>
      <p role="status">{t('schema.running', { done: done_rows, total: total_rows })}</p>
      <progress aria-label={t('schema.progress')} max={Math.max(1, total_rows)} value={done_rows} />
      {mayAbandon && (
        <ConfirmButton label={t('schema.abandon')} title={t('schema.abandonTitle')} run={abandon}>
          <p>{t('schema.abandonText')}</p>
        </ConfirmButton>
      )}
    </div>
  );
}

/** The error of a failed change as the client throws it. */
function failureOf(error: Readonly<Record<string, unknown>> | null): TcError {
  const { error: code, message, details } = error ?? {};
  return new TcError(String(message ?? ''), { code: String(code ?? 'Internal'), status: 422, details });
}
