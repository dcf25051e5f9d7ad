import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { ConfirmButton } from '../../../ui/overlays/confirm-dialog.js';
import { ErrorBox } from '../../../ui/states.js';
import styles from '../organization.module.css';
import { useChange } from '../use-organization.js';
import { DialogButton } from './dialog-button.js';

interface CredentialActionsProps {
  readonly name: string;
  readonly disabled: boolean;
  /** False for a person who lacks a right of the credential: then it can be disabled and removed only. */
  readonly mayHold: boolean;
  /** The dialogs that give the credential a new secret, and that change it. */
  readonly rotate: (close: () => void) => ReactNode;
  readonly change: (close: () => void) => ReactNode;
  readonly setDisabled: (disabled: boolean) => Promise<unknown>;
  readonly removal: {
    readonly label: string;
    readonly name: string;
    readonly title: string;
    readonly text: string;
    readonly run: () => Promise<unknown>;
  };
}

/** The buttons of an API key or a service account. */
export function CredentialActions({ removal, ...credential }: CredentialActionsProps) {
  const { name, disabled, mayHold, rotate, change, setDisabled } = credential;
  return (
    <div className={styles.actions}>
      {mayHold && (
        <>
          <DialogButton label={t('organization.rotate')} name={t('organization.rotateOf', { name })}>
            {rotate}
          </DialogButton>
          <DialogButton label={t('organization.change')} name={t('organization.changeOf', { name })}>
            {change}
          </DialogButton>
        </>
      )}
      {(mayHold || !disabled) && <DisableButton name={name} disabled={disabled} run={setDisabled} />}
      <ConfirmButton label={removal.label} name={removal.name} title={removal.title} run={removal.run}>
        <p>{removal.text}</p>
      </ConfirmButton>
    </div>
  );
}

interface DisableButtonProps {
  readonly name: string;
  readonly disabled: boolean;
  readonly run: (disabled: boolean) => Promise<unknown>;
}

/** Disables a key or a service account after a question, or enables it again. */
function DisableButton({ name, disabled, run }: DisableButtonProps) {
  const change = useChange();
  const enable = useMutation({ mutationFn: () => change(() => run(false)) });
  if (!disabled) {
    return (
      <ConfirmButton
        label={t('organization.disable')}
        name={t('organization.disableOf', { name })}
        title={t('organization.disableTitle', { name })}
        run={() => change(() => run(true))}
      >
        <p>{t('organization.disableText')}</p>
      </ConfirmButton>
    );
  }
  return (
    <>
      <Button
        aria-label={t('organization.enableOf', { name })}
        disabled={enable.isPending}
        onClick={() => enable.mutate()}
      >
        {t('organization.enable')}
      </Button>
      {enable.error !== null && <ErrorBox error={enable.error} />}
    </>
  );
}
