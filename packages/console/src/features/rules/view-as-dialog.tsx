import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.js';
import type { CollectionInfo } from '../../api/collection-query.js';
import { accessKey } from '../../api/directory-queries.js';
import { t } from '../../i18n/language.js';
import { SimpleTable } from '../../ui/data/simple-table.js';
import { Dialog } from '../../ui/overlays/dialog.js';
import { ErrorBox, Loading } from '../../ui/states.js';
import styles from './rules.module.css';

interface ViewAsDialogProps {
  readonly info: CollectionInfo;
  readonly name: string;
  readonly viewAs: string;
  readonly onClose: () => void;
}

const SHOWN = 20;
/** Characters of a value. */
const PREVIEW = 100;

/** The first records as somebody else sees them. Each look is in the audit log, so that nothing is read again. */
export function ViewAsDialog({ info, name, viewAs, onClose }: ViewAsDialogProps) {
  const records = client.collection(info.collection_id).loose();
  const { data, error, refetch } = useQuery({
    queryKey: [...accessKey(info.collection_id), 'as', viewAs],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    queryFn: async ({ signal }) => {
      const seen = records.find({}, { viewAs, preview: PREVIEW, signal });
      const [page, all] = await Promise.all([
        seen.page({ limit: SHOWN, withTotal: true }),
        records.find({}, { signal }).count(),
      ]);
      return { records: page.records as readonly Record<string, unknown>[], total: page.total ?? 0, all };
    },
  });
  const seenFields = new Set(data?.records.flatMap(record => Object.keys(record)));
  const columns = Object.keys(info.schema).filter(column => seenFields.has(column));
  const hidden = Object.keys(info.schema).length - columns.length;
  return (
    <Dialog open shape="wide" onOpenChange={open => !open && onClose()} title={t('rules.asTitle', { name })}>
      <div className={styles.stack}>
        <p role="status" className={styles.banner}>
          {t('rules.asBanner', { name })}
        </p>
        {data === undefined && error === null && <Loading lines={5} />}
        {data === undefined && error !== null && <ErrorBox error={error} onRetry={() => void refetch()} />}
        {data !== undefined && (
          <>
            <p>
              {t('rules.seen', { matching: data.total, all: data.all })}
              {data.records.length > 0 && hidden > 0 && ` ${t('rules.hiddenFields', { count: hidden })}`}
            </p>
            <div className={styles.wide}>
              <SimpleTable<Readonly<Record<string, unknown>>>
                label={t('rules.asTitle', { name })}
                items={data.records}
                itemKey={({ _id }) => String(_id)}
                empty={t('rules.seesNothing')}
                columns={columns.map(column => ({ title: column, cell: record => shown(record[column]) }))}
              />
            </div>
          </>
        )}
      </div>
    </Dialog>
  );
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
