import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { directoryQuery, keysQuery } from '../../../api/directory-queries.js';
import { t } from '../../../i18n/language.js';
import { UndoButton } from '../../../records/history/undo/undo-button.js';
import { isUndoable } from '../../../records/history/undo/undoable.js';
import { Button } from '../../../ui/controls/button.js';
import { Section } from '../../../ui/data/section.js';
import { SimpleTable } from '../../../ui/data/simple-table.js';
import { moment } from '../../../values/date-time.js';
import { type Actor, type AuditEvent, actionName, actorName } from '../../../values/events.js';
import { eventsQuery } from '../queries.js';
import { activityRoute } from '../route.js';
import { EventDialog } from './event-dialog.js';
import { EventFilters } from './event-filters.js';
import styles from './events.module.css';

/** The audit events of the collection, newest first, as the address narrows them. */
export function EventsSection({ info }: { readonly info: CollectionInfo }) {
  const { collection } = activityRoute.useParams();
  const search = activityRoute.useSearch();
  const directory = useQuery(directoryQuery(info.orgSlug)).data;
  const mayListKeys = info.my_rights.includes('keys');
  const keys = useQuery({ ...keysQuery(collection), enabled: mayListKeys }).data ?? [];
  const nameOf = (actor: Actor) => actorName({ directory, keys }, actor);
  const [opened, setOpened] = useState<AuditEvent>();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery(
    eventsQuery(collection, search),
  );
  const isNarrowed = Object.keys(search).length > 0;
  return (
    <Section
      title={t('activity.events')}
      text={t('activity.eventsText')}
      actions={
        <Button disabled={isFetching} onClick={() => void refetch()}>
          {t('activity.refresh')}
        </Button>
      }
    >
      <EventFilters search={search} directory={directory} />
      <SimpleTable
        label={t('activity.events')}
        items={data?.pages.flatMap(({ items }) => items)}
        itemKey={({ id }) => id}
        error={error}
        onRetry={() => void refetch()}
        empty={isNarrowed ? t('activity.noneMatches') : t('activity.nothing')}
        columns={[
          { title: t('activity.what'), cell: whatHappened },
          {
            title: t('activity.who'),
            cell: ({ actor }) => <span className={styles.who}>{nameOf(actor)}</span>,
          },
          { title: t('activity.through'), cell: ({ actor }) => t(`activity.via_${actor.via}`) },
          {
            title: t('activity.when'),
            cell: ({ createdAt }) => (
              <time dateTime={createdAt} className={styles.moment}>
                {moment(createdAt)}
              </time>
            ),
          },
          {
            title: t('activity.details'),
            align: 'end',
            cell: event => {
              const named = { action: actionName(event.type), date: moment(event.createdAt) };
              return (
                <span className={styles.buttons}>
                  {isUndoable(event, info) && (
                    <UndoButton
                      collectionId={info.collection_id}
                      writes={{ eventIds: [event.id] }}
                      what={`${whatHappened(event)}, ${named.date}`}
                      name={t('history.undoOf', named)}
                    />
                  )}
                  <Button aria-label={t('activity.detailsOf', named)} onClick={() => setOpened(event)}>
                    {t('activity.details')}
                  </Button>
                </span>
              );
            },
          },
        ]}
      />
      {hasNextPage && (
        <Button disabled={isFetching} onClick={() => void fetchNextPage()}>
          {t('activity.older')}
        </Button>
      )}
      {opened !== undefined && (
        <EventDialog event={opened} who={nameOf(opened.actor)} onClose={() => setOpened(undefined)} />
      )}
    </Section>
  );
}

function whatHappened({ type, count }: AuditEvent): string {
  const action = actionName(type);
  return count === null ? action : `${action} · ${t('activity.records', { count })}`;
}
