import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import type { CollectionInfo } from '../../../api/collection-query.js';
import type { Directory } from '../../../api/directory.js';
import { directoryQuery, keysQuery } from '../../../api/directory-queries.js';
import { activityRoute } from '../../../api/routes.js';
import { t } from '../../../i18n/language.js';
import { UndoButton } from '../../../records/history/undo/undo-button.js';
import { isUndoable } from '../../../records/history/undo/undoable.js';
import { Button } from '../../../ui/controls/button.js';
import { ChoiceField, TextField } from '../../../ui/controls/field.js';
import { Section } from '../../../ui/data/section.js';
import { SimpleTable } from '../../../ui/data/simple-table.js';
import { moment } from '../../../values/dates.js';
import { ACTIONS, type Actor, type AuditEvent, actionName, actorName } from '../../../values/events.js';
import { eventsQuery } from '../queries.js';
import type { ActivitySearch } from '../search.js';
import { EventDialog } from './event-dialog.js';
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

interface EventFiltersProps {
  readonly search: ActivitySearch;
  readonly directory: Directory | undefined;
}

/** Narrows the list. The address keeps the filters, so that a link shows the same events. */
function EventFilters({ search, directory }: EventFiltersProps) {
  const navigate = activityRoute.useNavigate();
  const set = (name: keyof ActivitySearch, value: string) =>
    void navigate({
      search: ({ [name]: _, ...rest }) => (value === '' ? rest : { ...rest, [name]: value }),
    });
  const people = [...(directory?.user ?? []), ...(directory?.agent ?? [])];
  return (
    <div className={styles.filters}>
      <ChoiceField
        label={t('activity.what')}
        value={search.action ?? ''}
        onChange={action => set('action', action)}
        choices={['', ...ACTIONS]}
        textOf={action => (action === '' ? t('activity.everything') : actionName(action))}
      />
      <ChoiceField
        label={t('activity.who')}
        choices={[...new Set(['', search.actor ?? '', ...people.map(({ id }) => id)])]}
        textOf={actor => people.find(({ id }) => id === actor)?.name ?? (actor || t('activity.everybody'))}
        value={search.actor ?? ''}
        onChange={actor => set('actor', actor)}
      />
      {(['since', 'until'] as const).map(end => (
        <TextField
          key={end}
          label={t(`activity.${end}`)}
          type="date"
          value={search[end] ?? ''}
          onChange={value => set(end, value)}
        />
      ))}
      {(['record', 'request'] as const).map(
        name =>
          search[name] !== undefined && (
            <Button
              key={name}
              className={styles.chip}
              icon={<X size={15} aria-hidden />}
              aria-label={t(`activity.without_${name}`, { id: search[name] })}
              onClick={() => set(name, '')}
            >
              {t(`activity.only_${name}`, { id: search[name] })}
            </Button>
          ),
      )}
    </div>
  );
}
