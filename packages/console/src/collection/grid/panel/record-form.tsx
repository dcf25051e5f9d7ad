import { Copy, Filter } from 'lucide-react';
import { t } from '../../../i18n/language.js';
import { IconButton } from '../../../ui/controls/button.js';
import type { CollectionInfo } from '../../collection-query.js';
import { isFilterable } from '../actions/conditions.js';
import { allColumns, type GridColumn } from '../columns/columns.js';
import type { GridRecord } from '../window/page-slot.js';
import { FieldValue } from './field-value.js';
import styles from './panel.module.css';

interface RecordFormProps {
  readonly record: GridRecord;
  readonly schema: CollectionInfo['schema'];
  readonly onCopy: (name: string) => void;
  readonly onFilter: (name: string) => void;
}

/** The fields of a record in the order of the schema: flexible fields follow, then those of the service. */
export function RecordForm({ record, schema, onCopy, onFilter }: RecordFormProps) {
  const columns = allColumns(schema, Object.keys(record));
  return (
    <dl className={styles.fields}>
      {columns.map(({ name, type }: GridColumn) => (
        <div key={name} className={styles.field}>
          <dt className={styles.fieldHead}>
            <span className={styles.fieldName}>{name}</span>
            <span className={styles.fieldType}>{t(`records.type_${type}`)}</span>
            <span className={styles.fieldActions}>
              {isFilterable(name, record[name]) && (
                <IconButton
                  label={t('records.useFieldAsFilter', { name })}
                  icon={<Filter size={14} aria-hidden />}
                  onClick={() => onFilter(name)}
                />
              )}
              <IconButton
                label={t('records.copyField', { name })}
                icon={<Copy size={14} aria-hidden />}
                onClick={() => onCopy(name)}
              />
            </span>
          </dt>
          <dd className={styles.value}>
            <FieldValue record={record} name={name} type={type} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
