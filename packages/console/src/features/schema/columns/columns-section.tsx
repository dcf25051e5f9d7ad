import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { t } from '../../../i18n/language.js';
import { otherFields, sampleQuery } from '../../../records/other-fields.js';
import { Button } from '../../../ui/controls/button.js';
import { Section } from '../../../ui/data/section.js';
import { SimpleTable } from '../../../ui/data/simple-table.js';
import styles from '../schema.module.css';
import { ColumnDialog, type ColumnTask } from './column-dialog.js';
import { guessType } from './guess-type.js';
import type { WantedColumn } from './rewrite-texts.js';

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

/** Names that a column can have. */
const COLUMN_NAME = /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]{0,62}$/;

interface FlexibleFieldsProps {
  readonly info: CollectionInfo;
  readonly onPromote: (column: WantedColumn) => void;
}

/** Fields that no column declares in the first records, each with a button that makes a column of it. */
function FlexibleFields({ info, onPromote }: FlexibleFieldsProps) {
  const { data: records = [] } = useQuery(sampleQuery(info.collection_id));
  const names = otherFields(records, info.schema).filter(name => COLUMN_NAME.test(name));
  if (names.length === 0) return null;
  return (
    <div className={styles.stack}>
      <h3>{t('schema.flexible')}</h3>
      <p className={styles.quiet}>{t('schema.flexibleText')}</p>
      <ul className={styles.fields}>
        {names.map(name => (
          <li key={name}>
            <code>{name}</code>
            <Button
              aria-label={t('schema.promoteName', { name })}
              onClick={() =>
                onPromote({ name, type: guessType(records.map(record => record[name])), nullable: true })
              }
            >
              {t('schema.promote')}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}
