import { useQuery } from '@tanstack/react-query';
import { t } from '../../../i18n/language.js';
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { ErrorBox, Loading } from '../../../ui/states.js';
import { titleOfRecord } from '../../../values/names.js';
import { canUndo } from '../../history/undo/undoable.js';
import type { Operation } from '../model/batch.js';
import type { Changed } from './changed-records.js';
import type { AskedRecords } from './use-selection.js';

interface DeleteDialogProps {
  readonly records: AskedRecords;
  readonly changed: Changed;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

/** Records that the question names. */
const NAMED = 5;
/** Without a history, so many records are read whole before they are deleted, so that they can be inserted again. */
const MOST_READ = 100;

/** What would be deleted, and how. */
interface Plan {
  readonly count: number;
  readonly titles: readonly string[];
  /** How the deletion can be undone: by the history of the collection, by inserting new records, or not at all. */
  readonly comeBack: 'undo' | 'insert' | 'never';
  readonly run: () => Promise<unknown>;
}

/** Deletes records, after a dry run has said how many they are. */
export function DeleteDialog({ records, changed, onDeleted, onClose }: DeleteDialogProps) {
  const { data: plan, error } = useQuery({
    queryKey: ['delete', changed.collection.id, records, changed.filter],
    queryFn: () => (records === 'all' ? planOfAll(changed) : planOf(changed, records)),
    staleTime: 0,
    gcTime: 0,
  });
  if (plan === undefined) {
    return (
      <Dialog open onOpenChange={open => !open && onClose()} title={t('edit.deleteTitle')}>
        {error === null ? <Loading lines={2} /> : <ErrorBox error={error} />}
      </Dialog>
    );
  }
  const { count, titles, comeBack } = plan;
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('edit.deleteCount', { count })}
      action={t('edit.deleteAction', { count })}
      run={async () => {
        await plan.run();
        onDeleted();
      }}
    >
      {titles.length > 0 && (
        <ul>
          {titles.slice(0, NAMED).map((title, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: several records can have one title
            <li key={place}>{title}</li>
          ))}
          {titles.length > NAMED && <li>{t('edit.more', { count: titles.length - NAMED })}</li>}
        </ul>
      )}
      <p>{t(`edit.deleted_${comeBack}`, { days: changed.info.settings.history_days })}</p>
    </ConfirmDialog>
  );
}

/** Every record that matches the filter. */
async function planOfAll({ collection, editing, info, filter, refresh }: Changed): Promise<Plan> {
  const allowMatchAll = Object.keys(filter).length === 0;
  const { deleted_count: count } = await collection.deleteMany(filter, { dryRun: true, allowMatchAll });
  const run = async () => {
    await editing.saving.writeMatching('deleted', async correlationId => {
      const options = { correlationId, maxAffected: count, allowMatchAll };
      return (await collection.deleteMany(filter, options)).deleted_count;
    });
    refresh();
  };
  return { count, titles: [], comeBack: canUndo(count, info) ? 'undo' : 'never', run };
}

/** These records, as they are now. */
async function planOf({ collection, editing, info }: Changed, ids: readonly string[]): Promise<Plan> {
  const comeBack = canUndo(ids.length, info) ? 'undo' : ids.length <= MOST_READ ? 'insert' : 'never';
  const names = Object.entries(info.schema).flatMap(([name, { type }]) => (type === 'text' ? [name] : []));
  const options = comeBack === 'insert' ? {} : { fields: ['_id', ...names], preview: 100 };
  const query = collection.find({ _id: { $in: ids } }, { ...options, withEtags: true });
  const records = await query.toArray(ids.length);
  const operations = records.map(
    (record): Operation => ({ delete: { _id: String(record._id), if_match: String(record._etag) } }),
  );
  const { results } = await collection.batch(operations, { dryRun: true });
  return {
    count: results.length,
    titles: records.map(record => titleOfRecord(record, info.schema)),
    comeBack,
    run: () => editing.saving.remove(operations, comeBack === 'insert' ? records : []),
  };
}
