import { Link } from '@tanstack/react-router';
import { t } from '../i18n/language.js';
import { useTitle } from '../ui/hooks/use-title.js';
import { EmptyState } from '../ui/states/empty-state.js';

/** The page of an address that has none. */
export function NotFound() {
  useTitle(t('common.notFoundTitle'));
  return (
    <main id="content">
      <h1 className="visually-hidden">{t('common.notFoundTitle')}</h1>
      <EmptyState
        title={t('common.notFoundTitle')}
        actions={<Link to="/collections">{t('collections.title')}</Link>}
      >
        {t('common.notFoundText')}
      </EmptyState>
    </main>
  );
}
