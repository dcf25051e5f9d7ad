import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { UndoConflict, Undone, UndoOptions, UndoSelection } from '@typed-collections/client';
import { useId, useRef, useState } from 'react';
import { client } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { ErrorBox, Loading } from '../../../ui/states.js';
import styles from './undo.module.css';

type OnConflict = NonNullable<UndoOptions['onConflict']>;

const CHOICES: readonly OnConflict[] = ['stop', 'skip', 'force'];

interface UndoDialogProps {
  readonly collectionId: string;
  readonly writes: UndoSelection;
  /** What is undone, in words. */
  readonly what: string;
  /** Called when the dialog is closed and the writes are undone, whichever comes last. */
  readonly onUndone: () => void;
  readonly onClose: () => void;
}

/** Undoes writes, after a dry run has said how many records that changes, and which were changed since. */
export function UndoDialog({ collectionId, writes, what, onUndone, onClose }: UndoDialogProps) {
  const [onConflict, setOnConflict] = useState<OnConflict>('stop');
  const [done, setDone] = useState<Undone>();
  const isClosed = useRef(false);
  const queries = useQueryClient();
  const undo = (options: UndoOptions) =>
    client.collection(collectionId).undo(writes, { onConflict, ...options });
  const preview = useQuery({
    queryKey: ['undo', collectionId, writes, onConflict],
    queryFn: ({ signal }) => undo({ dryRun: true, signal }),
    placeholderData: before => before,
    enabled: done === undefined,
    staleTime: 0,
    gcTime: 0,
  });
  const { data, error } = preview;
  const isStopped = onConflict !== 'skip' && data?.undone === 0 && data.conflicts.length > 0;
  const isReady = data !== undefined && !preview.isPlaceholderData && data.undone > 0;
  // Not while the dialog is open: what has opened it may be gone when the records are read again.
  const finish = () => {
    void queries.invalidateQueries({ queryKey: ['events'] });
    void queries.invalidateQueries({ queryKey: ['record', collectionId] });
    onUndone();
  };
  const close = () => {
    isClosed.current = true;
    if (done !== undefined) finish();
    onClose();
  };
  return (
    <FormDialog
      title={t('history.undoTitle', { what })}
      action={t('history.undoAction', { count: data?.undone ?? 0 })}
      onClose={close}
      staysOpen
      goesOn
      isDone={done !== undefined}
      isComplete={isReady}
      send={async () => {
        try {
          setDone(await undo({}));
          if (isClosed.current) finish();
        } catch (error) {
          void preview.refetch();
          throw error;
        }
      }}
    >
      {error !== null && <ErrorBox error={error} onRetry={() => void preview.refetch()} />}
      {data === undefined && error === null && <Loading lines={2} />}
      {done !== undefined && (
        <p role="status">
          {withSkipped(t('history.undoDone', { count: done.undone }), done)} {t('history.undoEvent')}
        </p>
      )}
      {done === undefined && data !== undefined && (
        <>
          <p role="status">{previewText(data, isStopped)}</p>
          <p className={styles.quiet}>{t('history.undoMeans')}</p>
          {data.conflicts.length > 0 && (
            <Conflicts
              collectionId={collectionId}
              conflicts={data.conflicts}
              choice={onConflict}
              onChoose={setOnConflict}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}

function previewText({ undone, skipped, conflicts }: Undone, isStopped: boolean): string {
  if (isStopped) return t('history.undoStopped', { count: conflicts.length });
  const isEmpty = undone === 0 && conflicts.length === 0;
  if (isEmpty) return t('history.undoNothing');
  return withSkipped(t('history.undoText', { count: undone }), { skipped });
}

/** Adds how many records stay as they are, if there are any. */
function withSkipped(text: string, { skipped }: Pick<Undone, 'skipped'>): string {
  return skipped === 0 ? text : `${text} ${t('history.undoSkips', { count: skipped })}`;
}

interface ConflictsProps {
  readonly collectionId: string;
  readonly conflicts: readonly UndoConflict[];
  readonly choice: OnConflict;
  readonly onChoose: (choice: OnConflict) => void;
}

/** The records that were written since, and what happens with them. */
function Conflicts({ collectionId, conflicts, choice, onChoose }: ConflictsProps) {
  const name = useId();
  return (
    <>
      <ConflictList collection={collectionId} conflicts={conflicts} />
      <fieldset className={styles.choices}>
        <legend>{t('history.onConflict')}</legend>
        {CHOICES.map(each => (
          <label key={each} className={styles.choice}>
            <input type="radio" name={name} checked={choice === each} onChange={() => onChoose(each)} />
            {t(`history.onConflict_${each}`)}
          </label>
        ))}
      </fieldset>
    </>
  );
}

/** Links to this many records. */
const MOST_LINKS = 20;

interface ConflictListProps {
  /** The collection of the records, as addresses name it. */
  readonly collection: string;
  readonly conflicts: readonly UndoConflict[];
}

/** The records that cannot simply be put back, with links to them and the reasons. */
function ConflictList({ collection, conflicts }: ConflictListProps) {
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
