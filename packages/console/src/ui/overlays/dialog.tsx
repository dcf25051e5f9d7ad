import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { t } from '../../i18n/language.js';
import { IconButton } from '../controls/button.js';
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
}

/** A modal dialog: its first field gets the focus, Escape closes it, and the focus returns to what opened it. */
export function Dialog({ open, onOpenChange, title, children, footer, shape = 'normal' }: DialogProps) {
  const body = useRef<HTMLDivElement>(null);
  // A touch would open the keyboard of the screen.
  const firstField = (how: string) =>
    how === 'touch' || (body.current?.querySelector<HTMLElement>('input, select, textarea') ?? true);
  return (
    <Base.Root open={open} onOpenChange={onOpenChange}>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Popup className={`${styles.popup} ${styles[shape]}`} initialFocus={firstField}>
          <header className={styles.header}>
            <Base.Title className={styles.title}>{title}</Base.Title>
            <Base.Close
              render={<IconButton label={t('common.close')} icon={<X size={18} aria-hidden />} />}
            />
          </header>
          <div ref={body} className={styles.body}>
            {children}
          </div>
          {footer !== undefined && <footer className={styles.footer}>{footer}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
