import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId } from 'react';
import { t } from '../../i18n/language.js';
import { Button } from '../controls/button.js';
import { ErrorBox } from '../states.js';
import { Dialog } from './dialog.js';
import styles from './form-dialog.module.css';

interface FormDialogProps {
  readonly title: string;
  /** The text of the button that sends the form. */
  readonly action: string;
  readonly onClose: () => void;
  /** Sends the form. When the promise is rejected, the dialog stays open and shows the error. */
  readonly send: () => Promise<unknown>;
  /** True: the dialog stays open when the form is sent, because its content then shows the result. */
  readonly staysOpen?: boolean;
  /** True: what was sent goes on without the dialog, and its result is shown elsewhere too. */
  readonly goesOn?: boolean;
  /** True: the form is sent, and only closing is left. */
  readonly isDone?: boolean;
  /** False: the form is not complete, so that its button does nothing. */
  readonly isComplete?: boolean;
  readonly shape?: 'normal' | 'wide';
  /** Fields, or the result. */
  readonly children: ReactNode;
}

/** A form in a dialog. A refusal is shown above the buttons, and nothing that was entered is lost. */
export function FormDialog({
  title,
  action,
  onClose,
  send,
  staysOpen = false,
  goesOn = false,
  isDone = false,
  isComplete = true,
  shape = 'normal',
  children,
}: FormDialogProps) {
  const form = useId();
  const step = useMutation({ mutationFn: send, onSuccess: () => !staysOpen && onClose() });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // A dialog inside another one is inside its form for React, but not for the browser.
    event.stopPropagation();
    if (!step.isPending && isComplete) step.mutate();
  };
  const buttons = isDone ? (
    <Button look="primary" onClick={onClose}>
      {t('common.close')}
    </Button>
  ) : (
    <>
      <Button onClick={onClose}>{t('common.cancel')}</Button>
      <Button type="submit" form={form} look="primary" disabled={step.isPending || !isComplete}>
        {action}
      </Button>
    </>
  );
  return (
    <Dialog
      open
      onOpenChange={open => !open && onClose()}
      title={title}
      shape={shape}
      footer={buttons}
      keepsInput={!isDone && !(goesOn && step.isPending)}
      awaitsResult={staysOpen && !goesOn && step.isPending}
    >
      <form id={form} className={styles.form} onSubmit={submit}>
        {children}
        {step.error !== null && <ErrorBox error={step.error} />}
      </form>
    </Dialog>
  );
}
