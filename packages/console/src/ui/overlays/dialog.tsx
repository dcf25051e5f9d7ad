import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { t } from '../../i18n/language.js';
import { IconButton } from '../controls/button.js';
import { CloseQuestion, isTextInput, ShownSecrets } from './close-question.js';
import styles from './dialog.module.css';

interface DialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: string;
  readonly children: ReactNode;
  /** Buttons, the main one last. */
  readonly footer?: ReactNode;
  /** `panel` stands at the right side over the full height; `wide` is a dialog for tables. */
  readonly shape?: 'normal' | 'wide' | 'panel';
  /** True: Escape and a press beside the dialog ask first if a text was entered in it. */
  readonly keepsInput?: boolean;
  /** True while a request is under way whose result is shown in this dialog only: they ask first, too. */
  readonly awaitsResult?: boolean;
}

/**
 * A modal dialog: its first field gets the focus, and the focus returns to what opened it. Escape and a press beside it
 * close it. They ask first where that loses something; a secret that is shown once is always asked for.
 */
export function Dialog(props: DialogProps) {
  const { open, onOpenChange, title, children, footer, shape = 'normal' } = props;
  const { keepsInput = false, awaitsResult = false } = props;
  const body = useRef<HTMLDivElement>(null);
  const [isEntered, setEntered] = useState(false);
  const [secrets, setSecrets] = useState(0);
  const [isAsked, setAsked] = useState(false);
  const loss =
    secrets > 0 ? 'secret' : awaitsResult ? 'result' : keepsInput && isEntered ? 'input' : undefined;
  useEffect(() => {
    if (open) return;
    setEntered(false);
    setAsked(false);
  }, [open]);
  const change = (next: boolean, { reason }: Base.Root.ChangeEventDetails) => {
    const isStray = reason === 'escape-key' || reason === 'outside-press';
    if (next || !isStray || loss === undefined) onOpenChange(next);
    // Escape also takes the question back.
    else setAsked(before => reason === 'outside-press' || !before);
  };
  // A touch would open the keyboard of the screen.
  const firstField = (how: string) =>
    how === 'touch' || (body.current?.querySelector<HTMLElement>('input, select, textarea') ?? true);
  return (
    <Base.Root open={open} onOpenChange={change}>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Popup className={`${styles.popup} ${styles[shape]}`} initialFocus={firstField}>
          <header className={styles.header}>
            <Base.Title className={styles.title}>{title}</Base.Title>
            <Base.Close
              render={<IconButton label={t('common.close')} icon={<X size={18} aria-hidden />} />}
            />
          </header>
          <div ref={body} className={styles.body} onInput={event => isTextInput(event) && setEntered(true)}>
            <ShownSecrets value={setSecrets}>{children}</ShownSecrets>
          </div>
          {isAsked && loss !== undefined ? (
            <CloseQuestion loss={loss} onStay={() => setAsked(false)} onClose={() => onOpenChange(false)} />
          ) : (
            footer !== undefined && <footer className={styles.footer}>{footer}</footer>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
