import { Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import type { Editing } from '../use-editing.js';

const NewRecordDialog = lazy(async () => ({
  default: (await import('./new-record-dialog.js')).NewRecordDialog,
}));

interface NewRecordButtonProps {
  readonly info: CollectionInfo;
  readonly editing: Editing;
}

/** Opens the form of a new record. */
export function NewRecordButton({ info, editing }: NewRecordButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon={<Plus size={16} aria-hidden />} onClick={() => setOpen(true)}>
        {t('edit.newRecord')}
      </Button>
      <Suspense>
        {isOpen && <NewRecordDialog info={info} editing={editing} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  );
}
