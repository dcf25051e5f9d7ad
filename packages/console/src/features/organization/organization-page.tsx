import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { Suspense } from 'react';
import { meQuery } from '../../api/session.js';
import { t } from '../../i18n/language.js';
import { useOpenLink } from '../../ui/hooks/use-open-link.js';
import { EmptyState } from '../../ui/states/empty-state.js';
import { ErrorBox } from '../../ui/states/error-box.js';
import { Loading } from '../../ui/states/loading.js';
import styles from './organization-page.module.css';
import { partsFor } from './parts.js';
import type { Rights } from './rights.js';

/** What surrounds the pages of the active organization: its name, and those pages that the person may see. */
export function OrganizationPage() {
  const { data: me, error, refetch } = useQuery(meQuery);
  if (me === undefined) {
    return error === null ? <Loading lines={8} /> : <ErrorBox error={error} onRetry={() => void refetch()} />;
  }
  if (me.org === null) {
    return (
      <>
        <h1 className="visually-hidden">{t('common.organization')}</h1>
        <EmptyState title={t('organization.noneTitle')}>{t('organization.noneText')}</EmptyState>
      </>
    );
  }
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <h1>{me.org.name}</h1>
        <p className={styles.slug}>{me.org.slug}</p>
      </header>
      <Parts me={me} />
      <div className={styles.part}>
        <Suspense fallback={<Loading lines={6} />}>
          <Outlet />
        </Suspense>
      </div>
    </div>
  );
}

/** Links to the pages. On narrow screens they are one line. */
function Parts({ me }: { readonly me: Rights }) {
  const nav = useOpenLink();
  return (
    <nav ref={nav} aria-label={t('organization.parts')} className={styles.parts}>
      {partsFor(me).map(({ to, title }) => (
        <Link key={to} to={to} activeOptions={{ includeSearch: false }}>
          {t(title)}
        </Link>
      ))}
    </nav>
  );
}
