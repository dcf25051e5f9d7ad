import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import type { CollectionInfo } from '../../api/collection-query.js';
import { t } from '../../i18n/language.js';
import { IconButton } from '../../ui/controls/button.js';
import { isComposing } from '../../ui/controls/composing.js';
import { Dialog } from '../../ui/overlays/dialog.js';
import type { Editing } from '../edit/use-editing.js';
import { useNarrow } from '../grid/columns/use-narrow.js';
import type { GridHandle } from '../grid/table/data-grid.js';
import type { RecordActions } from '../grid/use-grid-actions.js';
import type { RecordWindow } from '../window/record-window.js';
import styles from './panel.module.css';
import { RecordContent } from './record-content.js';

interface OpenRecordProps {
  readonly info: CollectionInfo;
  readonly recordId: string;
  readonly editing: Editing | undefined;
  /** The instant whose records are shown; undefined for now. */
  readonly asOf: string | undefined;
  readonly window: RecordWindow;
  readonly actions: RecordActions;
  /** Asks whether to delete the record. */
  readonly onDelete: () => void;
  readonly grid: RefObject<GridHandle | null>;
}

/** The panel of the record that the address names, with steps to the records beside it in the grid. */
export function OpenRecord(props: OpenRecordProps) {
  const { info, recordId, editing, asOf, window, actions, grid, onDelete } = props;
  const row = window.indexOf(recordId);
  const step = (by: number) => {
    const next = row === undefined ? undefined : window.at(row + by);
    if (next === undefined) return undefined;
    return () => {
      actions.openRecord(next._id, true);
      grid.current?.showRow((row as number) + by);
    };
  };
  const close = () => {
    actions.openRecord(undefined);
    if (row !== undefined) grid.current?.focusRow(row);
  };
  return (
    <RecordPanel recordId={recordId} onPrevious={step(-1)} onNext={step(1)} onClose={close}>
      <RecordContent
        info={info}
        recordId={recordId}
        editing={editing}
        asOf={asOf}
        onDelete={onDelete}
        onUndone={() => window.refresh()}
        onCopy={actions.copy}
        onFilter={actions.filterBy}
      />
    </RecordPanel>
  );
}

interface RecordPanelProps {
  readonly recordId: string;
  /** Undefined: there is no such record among those that are loaded. */
  readonly onPrevious: (() => void) | undefined;
  readonly onNext: (() => void) | undefined;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The panel of one record: beside the grid, on a phone over the whole page. */
function RecordPanel({ recordId, onPrevious, onNext, onClose, children }: RecordPanelProps) {
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
