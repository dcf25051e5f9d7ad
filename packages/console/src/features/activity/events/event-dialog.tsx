import { Link } from '@tanstack/react-router';
import { activityRoute } from '../../../api/routes.js';
import { t } from '../../../i18n/language.js';
import { Code } from '../../../ui/controls/code.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { moment } from '../../../values/dates.js';
import { type AuditEvent, actionName } from '../../../values/events.js';
import { changesText } from './changes-text.js';
import styles from './events.module.css';

interface EventDialogProps {
  readonly event: AuditEvent;
  /** The name of who caused it. */
  readonly who: string;
  readonly onClose: () => void;
}

/** Links to this many records; an event names up to 1,000. */
const MOST_LINKS = 20;

/** Everything that the log says about one event. */
export function EventDialog({ event, who, onClose }: EventDialogProps) {
  const { type, createdAt, actor, ip, correlationId, record_ids: records, count, changes } = event;
  const text = changesText(changes);
  return (
    <Dialog open onOpenChange={open => !open && onClose()} title={actionName(type)}>
      <div className={styles.stack}>
        <dl className={styles.facts}>
          <dt>{t('activity.when')}</dt>
          <dd>{moment(createdAt)}</dd>
          <dt>{t('activity.who')}</dt>
          <dd>{who}</dd>
          <dt>{t('activity.through')}</dt>
          <dd>{t(`activity.via_${actor.via}`)}</dd>
          {ip !== null && (
            <>
              <dt>{t('activity.ip')}</dt>
              <dd>{ip}</dd>
            </>
          )}
          <dt>{t('activity.eventId')}</dt>
          <dd>{event.id}</dd>
          {correlationId !== null && (
            <>
              <dt>{t('activity.request')}</dt>
              <dd>
                <Narrow part={{ request: correlationId }} onFollow={onClose}>
                  {correlationId}
                </Narrow>
              </dd>
            </>
          )}
        </dl>
        {text !== undefined && (
          <>
            <h3>{t('activity.changes')}</h3>
            <Code text={text} label={t('activity.changes')} />
          </>
        )}
        {records !== null && records.length > 0 && (
          <>
            <h3>{t('activity.records', { count: count ?? records.length })}</h3>
            <ul className={styles.ids}>
              {records.slice(0, MOST_LINKS).map(record => (
                <li key={record}>
                  <Narrow part={{ record }} onFollow={onClose}>
                    {record}
                  </Narrow>
                </li>
              ))}
            </ul>
            {(count ?? 0) > MOST_LINKS && <p>{t('activity.firstRecords', { count: MOST_LINKS })}</p>}
          </>
        )}
      </div>
    </Dialog>
  );
}

interface NarrowProps {
  readonly part: { readonly record: string } | { readonly request: string };
  readonly onFollow: () => void;
  readonly children: string;
}

/** A link to all events of a record or of a request. */
function Narrow({ part, onFollow, children }: NarrowProps) {
  const { collection } = activityRoute.useParams();
  return (
    <Link
      to="/collections/$collection/activity"
      params={{ collection }}
      search={part}
      title={t('record' in part ? 'activity.allOfRecord' : 'activity.allOfRequest')}
      onClick={onFollow}
    >
      {children}
    </Link>
  );
}
