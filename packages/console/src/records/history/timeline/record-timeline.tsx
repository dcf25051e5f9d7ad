import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { directoryQuery } from '../../../api/directory-queries.js';
import { meQuery } from '../../../api/session.js';
import { language, t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { ErrorBox } from '../../../ui/states/error-box.js';
import { Loading } from '../../../ui/states/loading.js';
import { actorName } from '../../../values/events.js';
import { formatInstant } from '../../../values/instant.js';
import { UndoButton } from '../undo/undo-button.js';
import { mayUndoVersion } from '../undo/undoable.js';
import { type RecordVersion, recordHistoryQuery } from './queries.js';
import styles from './timeline.module.css';
import { VersionItem } from './version-item.js';

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
                <UndoVersion {...{ info, version, onUndone }} />
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
