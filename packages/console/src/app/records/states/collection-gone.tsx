import { Link } from '@tanstack/react-router';
import { t } from '../../../i18n/language.js';
import { EmptyState } from '../../../ui/states/empty-state.js';

/** The collection was deleted, or is no longer shared, while its page was open. */
export function CollectionGone() {
  return (
    <EmptyState
      title={t('records.goneTitle')}
      actions={<Link to="/collections">{t('collections.title')}</Link>}
    >
      {t('records.goneText')}
    </EmptyState>
  );
}
