import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { t } from '../../i18n/language.js';
import { Button } from '../controls/button.js';
import { TextField } from '../controls/field.js';
import { ErrorBox } from '../states.js';
import styles from './confirm-dialog.module.css';
import { Dialog } from './dialog.js';

interface ConfirmDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  /** The question. It names what the step destroys. */
  readonly title: string;
  /** What follows from a yes. */
  readonly children: ReactNode;
  /** The text of the button that destroys. */
  readonly action: string;
  /** The dialog closes when the promise is fulfilled. When it is rejected, the dialog stays open and shows the error. */
  readonly run: () => Promise<unknown>;
  /** A name that must be typed before the button works, for what cannot be brought back. */
  readonly typedName?: string;
}

/** Asks before a step that destroys something. The button that destroys is not the default. */
export function ConfirmDialog({
  open,
  onClose,
  title,
  children,
  action,
  run,
  typedName = '',
}: ConfirmDialogProps) {
  const [typed, setTyped] = useState('');
  const step = useMutation({ mutationFn: run, onSuccess: () => close() });
  const close = () => {
    setTyped('');
    step.reset();
    onClose();
  };
  return (
    <Dialog
      open={open}
      onOpenChange={next => !next && close()}
      title={title}
      keepsInput={!step.isPending}
      footer={
        <>
          <Button onClick={close}>{t('common.cancel')}</Button>
          <Button
            look="danger"
            disabled={step.isPending || typed !== typedName}
            onClick={() => step.mutate()}
          >
            {action}
          </Button>
        </>
      }
    >
      <div className={styles.question}>
        {children}
        {typedName !== '' && (
          <TextField
            label={t('common.typeName', { name: typedName })}
            value={typed}
            spellCheck={false}
            onChange={setTyped}
          />
        )}
        {step.error !== null && <ErrorBox error={step.error} />}
      </div>
    </Dialog>
  );
}

interface ConfirmButtonProps extends Pick<ConfirmDialogProps, 'title' | 'children' | 'run' | 'typedName'> {
  /** The text of the button, and of the button of the dialog. */
  readonly label: string;
  /** The name of the button for screen readers, if the label does not say what it is about. */
  readonly name?: string;
}

/** A button whose step is carried out after a question. */
export function ConfirmButton({ label, name = label, ...question }: ConfirmButtonProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button aria-label={name} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <ConfirmDialog {...question} open={open} onClose={() => setOpen(false)} action={label} />
    </>
  );
}
