import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { t } from '../../i18n/language.js';
import { IconButton } from '../../ui/controls/button.js';
import { isComposing } from '../../ui/controls/composing.js';
import { Dialog } from '../../ui/overlays/dialog.js';
import { useNarrow } from '../grid/columns/use-narrow.js';
import styles from './panel.module.css';

interface RecordPanelProps {
  readonly recordId: string;
  /** Undefined: there is no such record among those that are loaded. */
  readonly onPrevious: (() => void) | undefined;
  readonly onNext: (() => void) | undefined;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The panel of one record: beside the grid, on a phone over the whole page. */
export function RecordPanel({ recordId, onPrevious, onNext, onClose, children }: RecordPanelProps) {
  const isNarrow = useNarrow();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
  }, []);
  const steps = (
    <>
      <IconButton
        label={t('records.previousRecord')}
        icon={<ChevronUp size={18} aria-hidden />}
        disabled={onPrevious === undefined}
        onClick={onPrevious}
      />
      <IconButton
        label={t('records.nextRecord')}
        icon={<ChevronDown size={18} aria-hidden />}
        disabled={onNext === undefined}
        onClick={onNext}
      />
    </>
  );
  if (isNarrow) {
    return (
      <Dialog
        open
        onOpenChange={open => !open && onClose()}
        title={t('records.record')}
        shape="panel"
        footer={steps}
      >
        <p className={styles.id}>{recordId}</p>
        {children}
      </Dialog>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveElementInteractions: Escape closes the panel
    <aside
      aria-label={t('records.record')}
      className={styles.panel}
      onKeyDown={event => {
        const isOfEditor = event.defaultPrevented || isComposing(event.nativeEvent);
        if (event.key === 'Escape' && !isOfEditor) onClose();
      }}
    >
      <header className={styles.head}>
        <h2 ref={heading} tabIndex={-1} className={styles.title}>
          {t('records.record')} <span className={styles.id}>{recordId}</span>
        </h2>
        {steps}
        <IconButton label={t('common.close')} icon={<X size={18} aria-hidden />} onClick={onClose} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys must be able to scroll it */}
      <section className={styles.body} tabIndex={0} aria-label={t('records.fields')}>
        {children}
      </section>
    </aside>
  );
}
