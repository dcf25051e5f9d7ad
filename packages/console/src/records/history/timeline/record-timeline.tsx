import { infiniteQueryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api } from '../../../api/client.js';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { directoryQuery } from '../../../api/directory-queries.js';
import { recordsRoute } from '../../../api/routes.js';
import { meQuery } from '../../../api/session.js';
import { language, t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Code } from '../../../ui/controls/code.js';
import { ErrorBox, Loading } from '../../../ui/states.js';
import { formatInstant } from '../../../values/dates.js';
import { actorName } from '../../../values/events.js';
import { ShortValue } from '../../grid/table/cell-content.js';
import { UndoButton } from '../undo/undo-button.js';
import { mayUndoVersion } from '../undo/undoable.js';
import { differencesOf, type RecordVersion } from './differences.js';
import styles from './timeline.module.css';

interface RecordTimelineProps {
  readonly info: CollectionInfo;
  readonly recordId: string;
  /** Called after a write was undone, which may have changed other records too. */
  readonly onUndone: () => void;
}

/** The versions of a record, the newest first, each with what its write changed. Also of a deleted record. */
export default function RecordTimeline({ info, recordId, onUndone }: RecordTimelineProps) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery(
    recordHistoryQuery(info.collection_id, recordId),
  );
  const directory = useQuery(directoryQuery(info.orgSlug)).data;
  const { data: me } = useQuery(meQuery);
  if (data === undefined) {
    return error === null ? <Loading lines={6} /> : <ErrorBox error={error} onRetry={() => void refetch()} />;
  }
  const versions = data.pages.flatMap(({ items }) => items);
  // The last one is shown with the next page, which has the version before it.
  const shown = hasNextPage ? versions.slice(0, -1) : versions;
  return (
    <>
      <p className={styles.kept}>{t('history.kept', { count: info.settings.history_days })}</p>
      <ol className={styles.versions} aria-label={t('history.versions')}>
        {shown.map((version, index) => (
          <VersionItem
            key={version.version}
            version={version}
            older={versions[index + 1]}
            who={version.actor === null ? undefined : actorName({ directory, keys: [] }, version.actor)}
            undo={
              mayUndoVersion(version, info, me?.id ?? me?.principal?.id) && (
                <UndoVersion info={info} version={version} onUndone={onUndone} />
              )
            }
          />
        ))}
      </ol>
      {error !== null && <ErrorBox error={error} onRetry={() => void fetchNextPage()} />}
      {hasNextPage && (
        <Button disabled={isFetching} onClick={() => void fetchNextPage()}>
          {t('history.older')}
        </Button>
      )}
    </>
  );
}

interface UndoVersionProps extends Pick<RecordTimelineProps, 'info' | 'onUndone'> {
  readonly version: RecordVersion;
}

function UndoVersion({ info, version, onUndone }: UndoVersionProps) {
  const { event_id: event, operation, valid_from: from } = version;
  if (event === null) return null;
  const named = { action: t(`history.did_${operation}`), date: formatInstant(from, language()) };
  return (
    <UndoButton
      collectionId={info.collection_id}
      writes={{ eventIds: [event] }}
      what={`${named.action}, ${named.date}`}
      name={t('history.undoOf', named)}
      onUndone={onUndone}
    />
  );
}

/** Number of changed fields that are shown. The record below shows all. */
const MOST_FIELDS = 30;

interface VersionItemProps {
  readonly version: RecordVersion;
  /** The version before; undefined if it is not kept any more. */
  readonly older: RecordVersion | undefined;
  /** Undefined if nobody knows who wrote it. */
  readonly who: string | undefined;
  /** The button that undoes the write, for those who may. */
  readonly undo: ReactNode;
}

/** One version of a record: when, what, who, and the fields that changed with their values before and after. */
function VersionItem({ version, older, who, undo }: VersionItemProps) {
  const { valid_from: from, operation, record, actor } = version;
  const differences = differencesOf(version, older);
  const { collection } = recordsRoute.useParams();
  const search = recordsRoute.useSearch();
  const left = differences.length - MOST_FIELDS;
  return (
    <li className={styles.version}>
      <h3 className={styles.head}>
        <span>{t(`history.did_${operation}`)}</span>{' '}
        <time dateTime={from} className={styles.quiet}>
          {formatInstant(from, language())}
        </time>
      </h3>
      <p className={styles.quiet}>
        {who === undefined
          ? t('history.byUnknown')
          : t('history.by', { who, via: actor === null ? '' : t(`activity.via_${actor.via}`) })}
      </p>
      {record === null ? (
        <p>{t('history.gone')}</p>
      ) : (
        <dl className={styles.fields}>
          {differences.slice(0, MOST_FIELDS).map(({ field, before, after }) => (
            <div key={field} className={styles.field}>
              <dt>{field}</dt>
              <dd>
                {before !== undefined && operation !== 'inserted' && (
                  <>
                    <del className={styles.before}>
                      <ShortValue value={before.value} />
                    </del>
                    <span aria-hidden> → </span>
                  </>
                )}
                <ins className={styles.after}>
                  <ShortValue value={after} />
                </ins>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {left > 0 && <p>{t('history.moreFields', { count: left })}</p>}
      <div className={styles.actions}>
        {record !== null && (
          <Whole record={record} label={t('history.wholeOf', { version: version.version })} />
        )}
        <Link
          to="/collections/$collection"
          params={{ collection }}
          search={{ ...search, as_of: from }}
          className={styles.link}
          title={t('history.showAllThen')}
        >
          {t('history.allThen')}
        </Link>
        {undo}
      </div>
    </li>
  );
}

/** The record as it was. It is drawn when it is opened. */
function Whole({ record, label }: { readonly record: object; readonly label: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles.whole} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>{t('history.whole')}</summary>
      {isOpen && <Code text={JSON.stringify(record, null, 2)} label={label} />}
    </details>
  );
}

const PER_PAGE = 20;

/** The versions of a record, the newest first. */
const recordHistoryQuery = (collectionId: string, recordId: string) =>
  infiniteQueryOptions({
    // Begins as the key of the record, which is read again after it was written.
    queryKey: ['record', collectionId, recordId, 'history'],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      api.history.getRecordHistory(
        { collection_id: collectionId, record_id: recordId, limit: PER_PAGE, cursor: pageParam },
        { signal },
      ),
    getNextPageParam: page => page.next_cursor ?? undefined,
    staleTime: 0,
    // Whole values can be large.
    gcTime: 10_000,
  });
