import { infiniteQueryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { Schemas } from '@typed-collections/client/api';
import { api, client } from '../../../api/client.js';
import { auditRoute } from '../../../api/routes.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Code } from '../../../ui/controls/code.js';
import { Section } from '../../../ui/data/section.js';
import { SimpleTable } from '../../../ui/data/simple-table.js';
import { ExportDialog } from '../../../ui/export/export-dialog.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { ErrorBox } from '../../../ui/states.js';
import { moment } from '../../../values/dates.js';
import { fullName } from '../../../values/names.js';
import { DialogButton } from '../fields/dialog-button.js';
import { NameCell } from '../fields/name-cell.js';
import { agentsQuery, membersQuery, ORGANIZATION, serviceAccountsQuery } from '../lists.js';
import styles from '../organization.module.css';
import { useOrganization } from '../use-organization.js';
import { auditFile, MOST_EVENTS } from './audit-file.js';
import { AuditFilters } from './audit-filters.js';
import { Checkpoints } from './checkpoints.js';
import { eventName } from './event-name.js';
import { type AuditSearch, filtersOf } from './search.js';

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

/** A file of the events that match the filters of the page. */
function ExportAudit({ search }: { readonly search: AuditSearch }) {
  const { orgSlug } = useOrganization();
  const isFiltered = Object.keys(search).length > 0;
  return (
    <DialogButton label={t('export.start')}>
      {close => (
        <ExportDialog
          open
          onOpenChange={open => !open && close()}
          title={t('organization.auditExport')}
          text={t(isFiltered ? 'organization.auditExportFiltered' : 'organization.auditExportAll')}
          fileName={`${orgSlug}-audit`}
          formats={['csv', 'ndjson', 'json']}
          unit="events"
          most={MOST_EVENTS}
          source={(choice, signal) => auditFile(client.transport, { orgSlug, search, ...choice, signal })}
        />
      )}
    </DialogButton>
  );
}

const PER_PAGE = 50;

/** The log, newest events first, page by page to older ones. */
const auditQuery = (orgSlug: string, search: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: [...ORGANIZATION, orgSlug, 'audit', search],
    queryFn: ({ pageParam, signal }) =>
      api.organizationAudit.listOrgAuditEvents(
        { orgSlug, limit: PER_PAGE, cursor: pageParam, ...filtersOf(search) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: page => page.next_cursor ?? undefined,
  });

type Actor = Schemas['AuditActorView'];

interface NamedActor {
  readonly id: string;
  readonly name: string;
}

/** Who can be found in the log by name: the first members, agents and service accounts. */
function useActors() {
  const { orgSlug, may } = useOrganization();
  const { data: members } = useQuery(membersQuery(orgSlug));
  const { data: agents } = useQuery(agentsQuery(orgSlug));
  const { data: accounts } = useQuery({
    ...serviceAccountsQuery(orgSlug),
    enabled: may('orgs:service-accounts:manage'),
  });
  const actors: NamedActor[] = [
    ...(members?.results ?? []).map(({ userId: id, ...person }) => ({
      id,
      name: fullName(person) || (person.email ?? id),
    })),
    ...(agents?.results ?? []),
    ...(accounts?.results ?? []),
  ];
  return { actors, nameOfActor: (actor: Actor) => nameOfActor(actor, actors) };
}

/** The name of an actor, or its kind and the end of its id. */
function nameOfActor({ type, id }: Actor, actors: readonly NamedActor[]): string {
  return actors.find(each => each.id === id)?.name ?? t('organization.actor', { type, id: shortId(id) });
}

const UUID_LENGTH = 36;

/** The end of a uuid, which tells it from others. Slugs and domains as they are. */
function shortId(id: string): string {
  return id.length === UUID_LENGTH ? `…${id.slice(-8)}` : id;
}
