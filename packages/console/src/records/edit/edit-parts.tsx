import { lazy, Suspense, useState } from 'react';
import { EditBar } from './bar/edit-bar.js';
import { LeaveDialog } from './bar/leave-dialog.js';
import { SavedNotice } from './bar/saved-notice.js';
import { useEditKeys } from './bar/use-edit-keys.js';
import type { Changed } from './select/changed-records.js';
import { SelectionBar } from './select/selection-bar.js';
import type { Selection } from './select/use-selection.js';

const ReviewDialog = lazy(async () => ({
  default: (await import('./review/review-dialog.js')).ReviewDialog,
}));
const ConflictDialog = lazy(async () => ({
  default: (await import('./review/conflict-dialog.js')).ConflictDialog,
}));

interface EditPartsProps extends Changed {
  readonly selection: Selection;
  /** Shows records that were added. */
  readonly onShowNew: () => void;
}

/** What the page shows of unsaved changes besides the marks in the grid. */
export function EditParts({ selection, onShowNew, ...changed }: EditPartsProps) {
  const { info, editing } = changed;
  const [isReviewed, setReviewed] = useState(false);
  useEditKeys(editing, () => setReviewed(true));
  return (
    <>
      <SelectionBar {...{ selection, changed }} />
      <SavedNotice {...{ info, onShowNew }} saving={editing.saving} onUndone={changed.refresh} />
      <EditBar editing={editing} onReview={() => setReviewed(true)} />
      <LeaveDialog editing={editing} />
      <Suspense>
        {isReviewed && <ReviewDialog {...{ info, editing }} onClose={() => setReviewed(false)} />}
        {editing.saving.conflicts.length > 0 && <ConflictDialog editing={editing} />}
      </Suspense>
    </>
  );
}
