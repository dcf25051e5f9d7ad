import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { EmptyState } from '../../../ui/states/empty-state.js';

/** No record matches the filter. */
export function NoMatches({ onClear }: { readonly onClear: () => void }) {
  return (
    <EmptyState
      title={t('records.noMatchesTitle')}
      actions={
        <Button look="primary" onClick={onClear}>
          {t('records.clearFilter')}
        </Button>
      }
    >
      {t('records.noMatchesText')}
    </EmptyState>
  );
}
