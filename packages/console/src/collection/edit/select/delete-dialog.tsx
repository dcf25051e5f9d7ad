import { useQuery } from '@tanstack/react-query';
import { t } from '../../../i18n/language.js';
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { ErrorBox } from '../../../ui/states/error-box.js';
import { Loading } from '../../../ui/states/loading.js';
import { titleOfRecord } from '../../live/panel/title-of-record.js';
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
/** So many records are read whole before they are deleted, so that deleting them can be undone. */
const MOST_UNDONE = 100;

/** What would be deleted, and how. */
interface Plan {
  readonly count: number;
  readonly titles: readonly string[];
  readonly isUndoable: boolean;
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
  const { count, titles, isUndoable } = plan;
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
      <p>{t(isUndoable ? 'edit.deleteUndoable' : 'edit.deleteFinal')}</p>
    </ConfirmDialog>
  );
}

/** Every record that matches the filter. */
async function planOfAll({ collection, filter, refresh }: Changed): Promise<Plan> {
  const allowMatchAll = Object.keys(filter).length === 0;
  const { deleted_count: count } = await collection.deleteMany(filter, { dryRun: true, allowMatchAll });
  const run = async () => {
    await collection.deleteMany(filter, { maxAffected: count, allowMatchAll });
    refresh();
  };
  return { count, titles: [], isUndoable: false, run };
}

/** These records, as they are now. */
async function planOf({ collection, editing, info }: Changed, ids: readonly string[]): Promise<Plan> {
  const isUndoable = ids.length <= MOST_UNDONE;
  const names = Object.entries(info.schema).flatMap(([name, { type }]) => (type === 'text' ? [name] : []));
  const options = isUndoable ? {} : { fields: ['_id', ...names], preview: 100 };
  const query = collection.find({ _id: { $in: ids } }, { ...options, withEtags: true });
  const { records } = await query.page({ cursor: '', limit: ids.length });
  const operations = records.map(
    (record): Operation => ({ delete: { _id: String(record._id), if_match: String(record._etag) } }),
  );
  const { results } = await collection.batch(operations, { dryRun: true });
  return {
    count: results.length,
    titles: records.map(record => titleOfRecord(record, info.schema)),
    isUndoable,
    run: () => editing.saving.remove(operations, isUndoable ? records : []),
  };
}
