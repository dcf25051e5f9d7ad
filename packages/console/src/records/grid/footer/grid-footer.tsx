import { ArrowDownToLine, ArrowUpToLine, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../../../i18n/language.js';
import { IconButton } from '../../../ui/controls/button.js';
import type { WindowState } from '../../window/record-window.js';
import styles from './footer.module.css';

interface GridFooterProps {
  readonly state: WindowState;
  readonly total: number | undefined;
  readonly onFirst: () => void;
  readonly onLast: () => void;
  readonly onRefresh: () => void;
  readonly count: ReactNode;
  readonly jump: ReactNode;
}

/** The row below the grid: how much is known, and the ways to other places of the list. */
export function GridFooter({ state, total, onFirst, onLast, onRefresh, count, jump }: GridFooterProps) {
  return (
    <div className={styles.footer}>
      <p role="status" className={styles.known}>
        {state.isOpening ? t('common.loading') : knownText(state, total)}
      </p>
      {!(state.atStart && state.atEnd) && count}
      <div className={styles.end}>
        {jump}
        <IconButton
          label={t('records.refresh')}
          icon={<RotateCw size={16} aria-hidden />}
          onClick={onRefresh}
        />
        <IconButton
          label={t('records.first')}
          icon={<ArrowUpToLine size={16} aria-hidden />}
          onClick={onFirst}
        />
        <IconButton
          label={t('records.last')}
          icon={<ArrowDownToLine size={16} aria-hidden />}
          onClick={onLast}
        />
      </div>
    </div>
  );
}

function knownText({ first, end, atStart, atEnd }: WindowState, total: number | undefined): string {
  if (atStart && atEnd) return t('records.countAll', { count: end - first });
  if (total !== undefined) return t('records.countAll', { count: total });
  return t('records.countLoaded', { count: end - first });
}
