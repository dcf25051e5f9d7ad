import { Link } from '@tanstack/react-router';
import type { UndoConflict } from '@typed-collections/client';
import { t } from '../../../i18n/language.js';
import styles from './undo.module.css';

/** Links to this many records. */
const MOST_LINKS = 20;

interface ConflictListProps {
  /** The collection of the records, as addresses name it. */
  readonly collection: string;
  readonly conflicts: readonly UndoConflict[];
}

/** The records that cannot simply be put back, with links to them and the reasons. */
export function ConflictList({ collection, conflicts }: ConflictListProps) {
  const left = conflicts.length - MOST_LINKS;
  return (
    <ul className={styles.conflicts} aria-label={t('history.conflicts')}>
      {conflicts.slice(0, MOST_LINKS).map(({ record_id: record, reason }) => (
        <li key={record}>
          <Link to="/collections/$collection" params={{ collection }} search={{ record }}>
            {record}
          </Link>{' '}
          {t(`history.conflict_${reason}`)}
        </li>
      ))}
      {left > 0 && <li>{t('history.moreConflicts', { count: left })}</li>}
    </ul>
  );
}
