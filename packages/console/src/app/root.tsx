import { type ErrorComponentProps, Link, Outlet, useMatches, useRouter } from '@tanstack/react-router';
import { t } from '../i18n/language.js';
import { useTitle } from '../ui/hooks.js';
import { EmptyState, ErrorBox } from '../ui/states.js';

/** Gives each page its title. */
export function Root() {
  const title = useMatches({ select: matches => matches.at(-1)?.staticData.title });
  useTitle(title && t(title));
  return <Outlet />;
}

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

/** What a page shows instead of itself when it fails. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return <ErrorBox error={error} onRetry={retry} />;
}
