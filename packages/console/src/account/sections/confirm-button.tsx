import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { Dialog } from '../../ui/overlays/dialog.js';
import { ErrorBox } from '../../ui/states/error-box.js';
import { LISTS } from './queries.js';
import styles from './section.module.css';

interface ConfirmButtonProps {
  readonly label: string;
  /** The name of the button for screen readers, which says what it is about. */
  readonly name?: string;
  /** The question, and what follows from a yes. */
  readonly title: string;
  readonly texts: readonly (string | false)[];
  readonly run: () => Promise<unknown>;
}

/** A step that ends something. It asks first, and the answer that ends it is not the default. */
export function ConfirmButton({ label, name = label, title, texts, run }: ConfirmButtonProps) {
  const [open, setOpen] = useState(false);
  const queryClient = useQueryClient();
  const step = useMutation({
    mutationFn: run,
    onSuccess: () => {
      setOpen(false);
      return queryClient.invalidateQueries({ queryKey: LISTS });
    },
  });
  const change = (next: boolean) => {
    setOpen(next);
    step.reset();
  };
  return (
    <>
      <Button aria-label={name} onClick={() => change(true)}>
        {label}
      </Button>
      <Dialog
        open={open}
        onOpenChange={change}
        title={title}
        footer={
          <>
            <Button onClick={() => change(false)}>{t('common.cancel')}</Button>
            <Button look="danger" disabled={step.isPending} onClick={() => step.mutate()}>
              {label}
            </Button>
          </>
        }
      >
        <div className={styles.stack}>
          {texts.map(text => text !== false && <p key={text}>{text}</p>)}
          {step.error !== null && <ErrorBox error={step.error} />}
        </div>
      </Dialog>
    </>
  );
}
