import { type ReactNode, useState } from 'react';
import { t } from '../../../i18n/language.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { useChange } from '../use-organization.js';

interface RotateDialogProps {
  readonly name: string;
  readonly onClose: () => void;
  /** Resolves to the new secret. */
  readonly rotate: () => Promise<string>;
  /** Shows the new secret once. */
  readonly shown: (secret: string) => ReactNode;
  /** What the dialog says and asks before. */
  readonly children: ReactNode;
}

/** Gives a credential a new secret, and shows it once. */
export function RotateDialog({ name, onClose, rotate, shown, children }: RotateDialogProps) {
  const change = useChange();
  const [secret, setSecret] = useState<string>();
  return (
    <FormDialog
      title={t('organization.rotateTitle', { name })}
      action={t('organization.rotate')}
      onClose={onClose}
      send={async () => setSecret(await change(rotate))}
      staysOpen
      isDone={secret !== undefined}
    >
      {secret === undefined ? children : shown(secret)}
    </FormDialog>
  );
}
