import { Link } from '@tanstack/react-router';
import { t } from '../i18n/language.js';
import { EmptyState } from '../ui/empty-state.js';

/** The page of an address that has none. */
export function NotFound() {
  return (
    <main id="content">
      <EmptyState
        title={t('common.notFoundTitle')}
        actions={<Link to="/collections">{t('collections.title')}</Link>}
      >
        {t('common.notFoundText')}
      </EmptyState>
    </main>
  );
}
