import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { collectionRoute } from '../../../api/routes.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Section } from '../../../ui/data/section.js';
import { SimpleTable } from '../../../ui/data/simple-table.js';
import styles from '../schema.module.css';
import { DropButton } from './drop-button.js';
import { IndexDialog } from './index-dialog.js';
import { entriesOf, entryKey, type IndexEntry } from './index-set.js';
import { useIndexChange } from './use-index-change.js';

interface IndexesSectionProps {
  readonly info: CollectionInfo;
  /** False for readers, and while another change runs. */
  readonly mayChange: boolean;
}

/** Indexes and unique constraints, which are built while reads and writes go on. */
export function IndexesSection({ info, mayChange }: IndexesSectionProps) {
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
