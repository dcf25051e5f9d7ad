import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { collectionRoute } from '../../../api/routes.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Section } from '../../../ui/data/section.js';
import { SimpleTable } from '../../../ui/data/simple-table.js';
import { Refusal } from '../refusal/refusal.js';
import styles from '../schema.module.css';
import { DropButton } from './drop-button.js';
import { entryKey, entryOf } from './index-set.js';
import { type IndexChange, useIndexChange } from './use-index-change.js';

type Advice = Awaited<ReturnType<typeof api.analytics.listAdvice>>['items'][number];

interface AdviceSectionProps {
  readonly info: CollectionInfo;
  /** False while another change runs. */
  readonly mayChange: boolean;
}

/** Indexes that the queries of the last days would have used, and indexes that nothing used. */
export function AdviceSection({ info, mayChange }: AdviceSectionProps) {
  const { collection } = collectionRoute.useParams();
  const { collection_id } = info;
  const advice = useQuery({
    queryKey: ['advice', collection_id],
    queryFn: ({ signal }) => api.analytics.listAdvice({ collection_id }, { signal }),
    staleTime: 60_000,
  });
  const change = useIndexChange(info, collection);
  const run = async (wanted: IndexChange) => {
    await change.mutateAsync(wanted);
    await advice.refetch();
  };
  return (
    <Section title={t('schema.adviceTitle')} text={t('schema.adviceText')}>
      <SimpleTable
        label={t('schema.adviceTitle')}
        items={advice.data?.items}
        itemKey={({ index, reason }) => `${reason} ${entryKey(entryOf(index))}`}
        error={advice.error}
        onRetry={() => void advice.refetch()}
        empty={<p className={styles.quiet}>{t('schema.adviceNone')}</p>}
        columns={[
          { title: t('schema.columns'), cell: ({ index }) => <code>{index.properties.join(', ')}</code> },
          { title: t('schema.reason'), cell: reasonOf },
          {
            title: t('schema.sample'),
            cell: ({ sample }) => sample?.filter && <code>{JSON.stringify(sample.filter)}</code>,
          },
          {
            title: t('schema.actions'),
            align: 'end',
            cell: ({ index, reason }) =>
              mayChange &&
              (reason === 'unused' ? (
                <DropButton entry={entryOf(index)} onDrop={() => run({ remove: entryOf(index) })} />
              ) : (
                <Button
                  aria-label={t('schema.buildName', { name: index.properties.join(', ') })}
                  disabled={change.isPending}
                  onClick={() => void run({ add: entryOf(index) }).catch(() => undefined)}
                >
                  {t('schema.build')}
                </Button>
              )),
          },
        ]}
      />
      {change.error !== null && <Refusal error={change.error} />}
    </Section>
  );
}

function reasonOf({ reason, queries_seen, avg_ms }: Advice): string {
  return reason === 'unused'
    ? t('schema.reason_unused')
    : t('schema.reason_missing', { count: queries_seen, ms: avg_ms ?? 0 });
}
