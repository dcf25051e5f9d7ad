import { History } from 'lucide-react';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { beginOf, keptTime } from './kept-time.js';

interface PastButtonProps {
  readonly info: CollectionInfo;
  /** The instant of the address; undefined for now. */
  readonly asOf: string | undefined;
  /** Shows an instant, or the present. */
  readonly onShow: (instant: string | undefined) => void;
}

/** Shows the records as they were, or as they are. Not there for collections that keep no history. */
export function PastButton({ info, asOf, onShow }: PastButtonProps) {
  if (info.settings.history_days === 0) return null;
  const toggle = () => {
    const kept = keptTime(info, Date.now());
    onShow(asOf === undefined && kept !== undefined ? beginOf(kept) : undefined);
  };
  return (
    <Button aria-pressed={asOf !== undefined} icon={<History size={16} aria-hidden />} onClick={toggle}>
      {t('history.lookBack')}
    </Button>
  );
}
