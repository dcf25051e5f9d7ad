import { type ReactNode, useState } from 'react';
import { Button } from '../../../ui/controls/button.js';

interface DialogButtonProps {
  readonly label: string;
  /** The name of the button for screen readers, if the label does not say what it is about. */
  readonly name?: string;
  readonly look?: 'normal' | 'primary';
  /** The dialog, which is there while it is open. */
  readonly children: (close: () => void) => ReactNode;
}

/** A button that opens a dialog. */
export function DialogButton({ label, name = label, look = 'normal', children }: DialogButtonProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button look={look} aria-label={name} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {open && children(() => setOpen(false))}
    </>
  );
}
