import { useInfiniteQuery } from '@tanstack/react-query';
import type { Schemas } from '@typed-collections/client/api';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Code } from '../../../ui/controls/code.js';
import { Section } from '../../../ui/data/section.js';
import { SimpleTable } from '../../../ui/data/simple-table.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { ErrorBox } from '../../../ui/states/error-box.js';
import { moment } from '../../../values/date-time.js';
import { DialogButton } from '../fields/dialog-button.js';
import { NameCell } from '../fields/name-cell.js';
import styles from '../organization.module.css';
import { useOrganization } from '../use-organization.js';
import { AuditFilters } from './audit-filters.js';
import { Checkpoints } from './checkpoints.js';
import { eventName } from './event-name.js';
import { ExportAudit } from './export-audit.js';
import { auditQuery } from './query.js';
import { auditRoute } from './route.js';
import { shortId, useActors } from './use-actors.js';

type AuditEvent = Schemas['AuditEventView'];

/** Every change in the organization, newest first, and the checkpoints that show that nobody altered the log. */
export function AuditPage() {
  const search = auditRoute.useSearch();
  const { orgSlug } = useOrganization();
  const { actors, nameOfActor } = useActors();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery(
    auditQuery(orgSlug, search),
  );
  const columns = [
    {
      title: t('organization.event'),
      cell: ({ type, count }: AuditEvent) => (
        <NameCell
          name={eventName(type) === type ? <span className={styles.mono}>{type}</span> : eventName(type)}
          below={belowOf(type, count)}
        />
      ),
    },
    {
      title: t('organization.target'),
      cell: ({ target }: AuditEvent) => `${target.type} ${target.name ?? shortId(target.id)}`,
    },
    {
      title: t('organization.who'),
      cell: ({ actor }: AuditEvent) => (
        <NameCell name={nameOfActor(actor)} below={t(`activity.via_${actor.via}`)} />
      ),
    },
    { title: t('organization.when'), cell: ({ createdAt }: AuditEvent) => moment(createdAt) },
    {
      title: t('organization.actions'),
      align: 'end' as const,
      cell: (event: AuditEvent) => <Details event={event} />,
    },
  ];
  return (
    <>
      <Section
        title={t('organization.audit')}
        text={t('organization.auditText')}
        actions={<ExportAudit search={search} />}
      >
        <AuditFilters search={search} actors={actors} />
        <SimpleTable
          label={t('organization.audit')}
          columns={columns}
          items={data?.pages.flatMap(({ items }) => items)}
          itemKey={({ id }) => id}
          error={error}
          onRetry={() => void refetch()}
          empty={t('organization.auditNone')}
        />
        {data !== undefined && error !== null && (
          <ErrorBox error={error} onRetry={() => void fetchNextPage()} />
        )}
        {hasNextPage && (
          <div>
            <Button disabled={isFetching} onClick={() => void fetchNextPage()}>
              {t('organization.older')}
            </Button>
          </div>
        )}
      </Section>
      <Checkpoints />
    </>
  );
}

/** The type of an event that has words, and the number of its records. */
function belowOf(type: string, count: number | null): string | undefined {
  const parts = [
    eventName(type) === type ? '' : type,
    count === null ? '' : t('organization.records', { count }),
  ];
  return parts.filter(Boolean).join(' · ') || undefined;
}

/** Everything that the log says about an event, with the id of its request to quote. */
function Details({ event }: { readonly event: AuditEvent }) {
  const name = t('organization.detailsOf', { name: event.type, date: moment(event.createdAt) });
  return (
    <DialogButton label={t('organization.details')} name={name}>
      {close => (
        <Dialog open onOpenChange={open => !open && close()} title={event.type} shape="wide">
          <Code label={name} text={JSON.stringify(event, null, 2)} />
        </Dialog>
      )}
    </DialogButton>
  );
}
