import { useQuery } from '@tanstack/react-query';
import { collectionQuery } from '../../api/collection-query.js';
import { activityRoute } from '../../api/routes.js';
import { t } from '../../i18n/language.js';
import { EmptyState, Loading } from '../../ui/states.js';
import styles from '../access/access.module.css';
import { EventsSection } from './events/events-section.js';
import { WebhooksSection } from './webhooks/webhooks-section.js';

/** The audit events and the webhooks of one collection. */
export function ActivityPage() {
  const { collection } = activityRoute.useParams();
  const { data: info } = useQuery(collectionQuery(collection));
  if (info === undefined) return <Loading lines={8} />;
  const mayAudit = info.my_rights.includes('manage');
  const mayHook = info.my_rights.includes('webhooks');
  if (!mayAudit && !mayHook) {
    return <EmptyState title={t('activity.refused')}>{t('activity.refusedText')}</EmptyState>;
  }
  return (
    <section aria-label={t('activity.title')} className={styles.page}>
      {mayAudit && <EventsSection info={info} />}
      {mayHook && <WebhooksSection info={info} />}
    </section>
  );
}
