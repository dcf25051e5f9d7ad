import { useQuery } from '@tanstack/react-query';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { t } from '../../../i18n/language.js';
import { otherFields } from '../../../records/other-fields.js';
import { sampleQuery } from '../../../records/use-other-fields.js';
import { Button } from '../../../ui/controls/button.js';
import styles from '../schema.module.css';
import { guessType } from './guess-type.js';
import type { WantedColumn } from './rewrite-texts.js';

/** Names that a column can have. */
const COLUMN_NAME = /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]{0,62}$/;

interface FlexibleFieldsProps {
  readonly info: CollectionInfo;
  readonly onPromote: (column: WantedColumn) => void;
}

/** Fields that no column declares in the first records, each with a button that makes a column of it. */
export function FlexibleFields({ info, onPromote }: FlexibleFieldsProps) {
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
