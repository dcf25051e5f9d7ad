import type { CollectionInfo } from '../../../api/collection-query.js';
import { language, t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { titleOfRecord } from '../../../values/title-of-record.js';
import type { RecordChange } from '../feed/ports.js';
import styles from '../live.module.css';
import { useActors } from './use-actors.js';

interface RecentChangesProps {
  readonly info: CollectionInfo;
  readonly changes: readonly RecordChange[];
  readonly onClose: () => void;
  readonly onOpenRecord: (id: string) => void;
}

/** The last changes since live was switched on: what, when, and for those who may read the log, by whom. */
export function RecentChanges({ info, changes, onClose, onOpenRecord }: RecentChangesProps) {
  const actorOf = useActors(info, changes);
  return (
    <Dialog open onOpenChange={onClose} title={t('live.changes')} shape="panel">
      {changes.length === 0 && <p className={styles.quiet}>{t('live.noChanges')}</p>}
      <ol className={styles.changes} aria-label={t('live.changes')}>
        {changes.map(change => {
          const isGone = change.type === 'deleted' || change.type === 'expired';
          const title = titleOfRecord(change.record, info.schema);
          return (
            <li key={change.id}>
              <span className={styles[change.type]}>{t(`live.type_${change.type}`)}</span>
              {isGone ? (
                <span className={styles.record}>{title}</span>
              ) : (
                <Button look="plain" className={styles.record} onClick={() => onOpenRecord(change.record_id)}>
                  {title}
                </Button>
              )}
              <span className={styles.quiet}>
                <time dateTime={change.changed_at}>{timeOf(change.changed_at)}</time>
                {actorOf !== undefined && ` · ${actorOf(change)}`}
              </span>
            </li>
          );
        })}
      </ol>
    </Dialog>
  );
}

function timeOf(instant: string): string {
  return new Intl.DateTimeFormat(language(), { timeStyle: 'medium' }).format(new Date(instant));
}
