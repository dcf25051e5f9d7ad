import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { Suspense } from 'react';
import { meQuery } from '../../api/session.js';
import { type MessageKey, t } from '../../i18n/language.js';
import { useOpenLink } from '../../ui/hooks.js';
import { EmptyState, ErrorBox, Loading } from '../../ui/states.js';
import styles from './organization-page.module.css';
import { mayInOrganization, type Rights } from './rights.js';

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

interface Part {
  readonly to: `/organization/${string}`;
  readonly title: MessageKey;
  /** The permission without which the service refuses what the page shows. Undefined: every member sees it. */
  readonly needs?: string;
}

/** The pages of the organization. */
const PARTS = [
  { to: '/organization/members', title: 'organization.members' },
  { to: '/organization/invitations', title: 'organization.invitations', needs: 'orgs:invites:manage' },
  { to: '/organization/roles', title: 'organization.roles' },
  { to: '/organization/groups', title: 'organization.groups' },
  { to: '/organization/keys', title: 'organization.keys', needs: 'orgs:apikeys:manage' },
  {
    to: '/organization/service-accounts',
    title: 'organization.serviceAccounts',
    needs: 'orgs:service-accounts:manage',
  },
  { to: '/organization/agents', title: 'organization.agents' },
  { to: '/organization/sign-in', title: 'organization.signIn', needs: 'orgs:sso:manage' },
  { to: '/organization/audit', title: 'organization.audit', needs: 'orgs:audit:read' },
  { to: '/organization/settings', title: 'organization.settings' },
] as const satisfies readonly Part[];

/** The pages that the person may see. */
function partsFor(me: Rights) {
  return PARTS.filter(part => !('needs' in part) || mayInOrganization(me, part.needs));
}
