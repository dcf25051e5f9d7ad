import { History } from 'lucide-react';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import type { CollectionInfo } from '../../collection-query.js';
import { recordsRoute } from '../../grid/route.js';
import { beginOf, keptTime } from './kept-time.js';

/** Shows the records as they were, or as they are. Not there for collections that keep no history. */
export function PastButton({ info }: { readonly info: CollectionInfo }) {
  const { as_of: asOf } = recordsRoute.useSearch();
  const navigate = recordsRoute.useNavigate();
  if (info.settings.history_days === 0) return null;
  const toggle = () => {
    const kept = keptTime(info, Date.now());
    const next = asOf === undefined && kept !== undefined ? beginOf(kept) : undefined;
    void navigate({ search: before => ({ ...before, as_of: next }) });
  };
  return (
    <Button aria-pressed={asOf !== undefined} icon={<History size={16} aria-hidden />} onClick={toggle}>
      {t('history.lookBack')}
    </Button>
  );
}
