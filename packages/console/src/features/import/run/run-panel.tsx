import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CollectionFullError } from '@typed-collections/client';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { api } from '../../../api/client.js';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { featuresQuery } from '../../../api/session.js';
import { t } from '../../../i18n/language.js';
import { UndoButton } from '../../../records/history/undo/undo-button.js';
import { canUndo } from '../../../records/history/undo/undoable.js';
import { Button } from '../../../ui/controls/button.js';
import button from '../../../ui/controls/button.module.css';
import { NumberField } from '../../../ui/controls/field.js';
import { ErrorBox } from '../../../ui/states.js';
import { byteSize } from '../../../values/byte-size.js';
import styles from '../import.module.css';
import { raisedLimit } from './raised-limit.js';
import type { FileImport, RunState } from './use-file-import.js';

interface RunPanelProps {
  readonly run: FileImport['run'];
  readonly state: RunState;
  readonly info: CollectionInfo;
  /** The collection as addresses name it. */
  readonly inAddress: string;
}

/** How far an import is, or how it ended and what is written. */
export function RunPanel({ run, state, info, inAddress }: RunPanelProps) {
  const { done, job, error, isStopping = false, isUndone = false } = state;
  const { dryRun = false, correlationId } = job.options;
  const panel = useRef<HTMLElement>(null);
  // The table of fields may be longer than the screen.
  useEffect(() => {
    panel.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const written = writtenBy(state);
  const isFull = error instanceof CollectionFullError;
  return (
    <section ref={panel} className={styles.run} aria-label={t('import.progress')}>
      <div role="status">
        <h2>{headingOf(state)}</h2>
      </div>
      {!isUndone && <p>{figuresOf(state)}</p>}
      {NOTES.map(
        note =>
          done[note].length > 0 && <p key={note}>{t(`import.${note}`, { names: done[note].join(', ') })}</p>,
      )}
      {run.isRunning && (
        <progress aria-label={t('import.progress')} max={Math.max(1, job.totalBytes)} value={done.bytes} />
      )}
      {isFull && (
        <RaiseLimit info={info} state={state} onAnswer={isRaised => (isRaised ? run.resume() : run.end())} />
      )}
      {error !== undefined && !isFull && <ErrorBox error={error} />}
      <div className={styles.actions}>
        {error !== undefined && !isFull && !dryRun && (
          <Button look="primary" onClick={run.resume}>
            {t('import.goOn')}
          </Button>
        )}
        {run.isRunning && (
          <Button disabled={isStopping} onClick={run.stop}>
            {t(isStopping ? 'import.stopping' : 'import.stop')}
          </Button>
        )}
        {!run.isRunning && !isFull && !dryRun && (
          <Link to="/collections/$collection" params={{ collection: inAddress }} className={button.button}>
            {t('collections.openRecords')}
          </Link>
        )}
        {!run.isRunning && !isFull && !dryRun && canUndo(written, info) && (
          <UndoButton
            collectionId={job.collectionId}
            writes={{ correlationId }}
            what={t('import.undoWhat', { count: written })}
            onUndone={run.markUndone}
          />
        )}
      </div>
    </section>
  );
}

/** What the service says of fields of the file. */
const NOTES = ['ignored', 'as_text', 'rounded'] as const;

function headingOf(state: RunState): string {
  const { job, done, outcome, error, isUndone = false } = state;
  const { dryRun, sliceBytes } = job.options;
  if (isUndone) return t('import.undone');
  if (error !== undefined)
    return t(error instanceof CollectionFullError ? 'import.waiting' : 'import.failed');
  if (outcome === undefined) return t(dryRun ? 'import.checking' : 'import.running');
  if (outcome === 'stopped' && sliceBytes === undefined && !dryRun) return t('import.stoppedWhole');
  if (outcome === 'done' && dryRun) return t('import.checked');
  if (outcome === 'done' && writtenBy(state) === 0 && done.refused > 0) return t('import.refused');
  return t(`import.${outcome}`);
}

function writtenBy({ done }: RunState): number {
  return done.inserted + done.updated;
}

function figuresOf({ job, done, rowsOnWay, outcome }: RunState): string {
  const { bytes, rows, inserted, updated, refused } = done;
  const figures = t(job.options.dryRun ? 'import.wouldWrite' : 'import.written', {
    inserted,
    updated,
    refused,
  });
  if (outcome !== undefined) return figures;
  const all = byteSize(job.totalBytes);
  const read = t('import.read', { bytes: byteSize(bytes), all, rows: rows + rowsOnWay });
  return `${read} ${figures}`;
}

interface RaiseLimitProps {
  readonly info: CollectionInfo;
  readonly state: RunState;
  /** False: the import ends here. */
  readonly onAnswer: (isRaised: boolean) => void;
}

/** The collection takes no more records. Who may manage it lets it take more, and the import goes on. */
function RaiseLimit({ info, state, onAnswer }: RaiseLimitProps) {
  const { data: features } = useQuery(featuresQuery);
  const max = info.settings.max_records;
  const highest = features?.max_records_limit ?? max;
  const [wanted, setWanted] = useState<string>();
  const value = wanted ?? String(raisedLimit(max, state.done, state.job.totalBytes, highest));
  const queries = useQueryClient();
  const raise = useMutation({
    mutationFn: () =>
      api.collections.updateCollection({
        collection_id: info.collection_id,
        settings: { max_records: Number(value) },
      }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['collection'] });
      onAnswer(true);
    },
  });
  const mayRaise = info.my_rights.includes('manage') && highest > max;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    raise.mutate();
  };
  return (
    <form className={styles.full} onSubmit={submit}>
      <p role="alert">{t('import.full', { max })}</p>
      {mayRaise && (
        <NumberField
          label={t('import.raiseTo')}
          hint={t('import.raiseHint', { highest })}
          min={max + 1}
          max={highest}
          value={value}
          onChange={setWanted}
        />
      )}
      {!mayRaise && <p>{t('import.fullReader')}</p>}
      <div className={styles.actions}>
        <Button onClick={() => onAnswer(false)}>{t('import.endHere')}</Button>
        {mayRaise && (
          <Button type="submit" look="primary" disabled={raise.isPending}>
            {t('import.raise')}
          </Button>
        )}
      </div>
      {raise.error !== null && <ErrorBox error={raise.error} />}
    </form>
  );
}
