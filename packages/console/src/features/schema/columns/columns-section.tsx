import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Section } from '../../../ui/data/section.js';
import { SimpleTable } from '../../../ui/data/simple-table.js';
import styles from '../schema.module.css';
import { ColumnDialog, type ColumnTask } from './column-dialog.js';
import { FlexibleFields } from './flexible-fields.js';

interface ColumnsSectionProps {
  readonly info: CollectionInfo;
  /** False for readers, and while another change runs. */
  readonly mayChange: boolean;
}

/** The columns, and the fields that could become columns. */
export function ColumnsSection({ info, mayChange }: ColumnsSectionProps) {
  const [task, setTask] = useState<ColumnTask>();
  const columns = Object.entries(info.schema).map(([name, column]) => ({ name, ...column }));
  const isUnique = (name: string) =>
    info.uniques.some(({ properties }) => properties.length === 1 && properties[0] === name);
  const add = () => setTask({ kind: 'add', column: { name: '', type: 'text', nullable: true } });
  return (
    <Section
      title={t('schema.columns')}
      text={t('schema.columnsText')}
      actions={
        mayChange && (
          <Button icon={<Plus size={16} aria-hidden />} onClick={add}>
            {t('schema.add')}
          </Button>
        )
      }
    >
      <SimpleTable
        label={t('schema.columns')}
        items={columns}
        itemKey={({ name }) => name}
        empty={<p className={styles.quiet}>{t('schema.noColumns')}</p>}
        columns={[
          { title: t('schema.name'), cell: ({ name }) => <code>{name}</code> },
          { title: t('schema.type'), cell: ({ type }) => t(`records.type_${type}`) },
          {
            title: t('schema.rules'),
            cell: ({ name, nullable }) =>
              [!nullable && t('schema.isRequired'), isUnique(name) && t('schema.isUnique')]
                .filter(Boolean)
                .join(', '),
          },
          ...(mayChange
            ? [
                {
                  title: t('schema.actions'),
                  align: 'end' as const,
                  cell: (column: (typeof columns)[number]) => (
                    <Button
                      aria-label={t('schema.changeName', { name: column.name })}
                      onClick={() => setTask({ kind: 'change', column })}
                    >
                      {t('schema.change')}
                    </Button>
                  ),
                },
              ]
            : []),
        ]}
      />
      {mayChange && <FlexibleFields info={info} onPromote={column => setTask({ kind: 'promote', column })} />}
      <p className={styles.quiet}>{t('schema.noRename')}</p>
      {task !== undefined && <ColumnDialog info={info} task={task} onClose={() => setTask(undefined)} />}
    </Section>
  );
}
