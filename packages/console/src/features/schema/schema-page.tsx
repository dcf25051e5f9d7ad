import { useQueryClient } from '@tanstack/react-query';
import { TcError } from '@typed-collections/client';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.js';
import type { CollectionInfo } from '../../api/collection-query.js';
import { collectionRoute } from '../../api/routes.js';
import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { Section } from '../../ui/data/section.js';
import { SimpleTable } from '../../ui/data/simple-table.js';
import { ConfirmButton } from '../../ui/overlays/confirm-dialog.js';
import { Loading } from '../../ui/states.js';
import { ColumnsSection } from './columns/columns-section.js';
import { DetailsSection } from './details/details-section.js';
import { AdviceSection } from './indexes/advice-section.js';
import { DropButton } from './indexes/drop-button.js';
import { IndexDialog } from './indexes/index-dialog.js';
import { entriesOf, entryKey, type IndexEntry } from './indexes/index-set.js';
import { useIndexChange } from './indexes/use-index-change.js';
import { Refusal } from './refusal/refusal.js';
import styles from './schema.module.css';
import { refreshCollection, useSchema } from './use-schema.js';

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

interface RunningChangeProps {
  readonly info: CollectionInfo;
  readonly mayAbandon: boolean;
}

/** How far a change of a large collection is, or why the last one failed. */
function RunningChange({ info, mayAbandon }: RunningChangeProps) {
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

interface IndexesSectionProps {
  readonly info: CollectionInfo;
  /** False for readers, and while another change runs. */
  readonly mayChange: boolean;
}

/** Indexes and unique constraints, which are built while reads and writes go on. */
function IndexesSection({ info, mayChange }: IndexesSectionProps) {
  const { collection } = collectionRoute.useParams();
  const [isOpen, setOpen] = useState(false);
  const drop = useIndexChange(info, collection);
  return (
    <Section
      title={t('schema.indexes')}
      text={t('schema.indexesText')}
      actions={
        mayChange && (
          <Button icon={<Plus size={16} aria-hidden />} onClick={() => setOpen(true)}>
            {t('schema.addIndex')}
          </Button>
        )
      }
    >
      <SimpleTable
        label={t('schema.indexes')}
        items={entriesOf(info)}
        itemKey={entryKey}
        empty={<p className={styles.quiet}>{t('schema.noIndexes')}</p>}
        columns={[
          { title: t('schema.columns'), cell: ({ properties }) => <code>{properties.join(', ')}</code> },
          { title: t('schema.kind'), cell: ({ kind }) => t(`schema.kind_${kind}`) },
          ...(mayChange
            ? [
                {
                  title: t('schema.actions'),
                  align: 'end' as const,
                  cell: (entry: IndexEntry) => (
                    <DropButton entry={entry} onDrop={() => drop.mutateAsync({ remove: entry })} />
                  ),
                },
              ]
            : []),
        ]}
      />
      {isOpen && <IndexDialog info={info} onClose={() => setOpen(false)} />}
    </Section>
  );
}
