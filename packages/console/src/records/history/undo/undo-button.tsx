import type { UndoSelection } from '@typed-collections/client';
import { useState } from 'react';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { UndoDialog } from './undo-dialog.js';

interface UndoButtonProps {
  readonly collectionId: string;
  readonly writes: UndoSelection;
  /** What is undone, in words. */
  readonly what: string;
  /** The name of the button for screen readers, where several writes can be undone. */
  readonly name?: string;
  /** Called when the dialog is closed and the writes are undone. */
  readonly onUndone?: () => void;
}

/** Asks to undo writes, after a preview. */
export function UndoButton({ collectionId, writes, what, name, onUndone }: UndoButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button aria-label={name} onClick={() => setOpen(true)}>
        {t('history.undo')}
      </Button>
      {isOpen && (
        <UndoDialog
          collectionId={collectionId}
          writes={writes}
          what={what}
          onUndone={() => onUndone?.()}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
