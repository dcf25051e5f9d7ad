import { useQuery } from '@tanstack/react-query';
import { featuresQuery, type Me, meQuery } from '../../api/session.js';
import { t } from '../../i18n/language.js';
import { Section } from '../../ui/data/section.js';
import { ErrorBox, Loading } from '../../ui/states.js';
import { fullName } from '../../values/names.js';
import { Invitations } from './sections/invitations.js';
import { Passkeys } from './sections/passkeys.js';
import { Applications, Tokens } from './sections/programs.js';
import styles from './sections/section.module.css';
import { Sessions } from './sections/sessions.js';

/** Who is signed in, and everything that can act as this person. */
export function AccountPage() {
  const { data: me, error, refetch } = useQuery(meQuery);
  const { data: features } = useQuery(featuresQuery);
  return (
    <div className={styles.page}>
      <h1>{t('account.title')}</h1>
      {me === undefined ? (
        error === null ? (
          <Loading />
        ) : (
          <ErrorBox error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <>
          <Invitations />
          <Profile me={me} />
          {features?.passkeys && <Passkeys me={me} />}
          <Sessions />
          <Applications />
          <Tokens />
        </>
      )}
    </div>
  );
}

/** Who is signed in, and the organizations with their roles. */
function Profile({ me }: { readonly me: Me }) {
  return (
    <Section title={t('account.profile')}>
      <dl className={styles.facts}>
        <dt>{t('account.profileName')}</dt>
        <dd>{fullName(me) || t('account.none')}</dd>
        <dt>{t('account.profileEmail')}</dt>
        <dd>{me.email ?? t('account.none')}</dd>
        <dt>{t('account.profileOrganizations')}</dt>
        <dd>
          {me.organizations.length === 0 ? t('account.profileNoOrganization') : <Organizations me={me} />}
        </dd>
      </dl>
    </Section>
  );
}

function Organizations({ me }: { readonly me: Me }) {
  return (
    <ul>
      {me.organizations.map(({ slug, name, roleSlug }) => (
        <li key={slug}>
          <span className={styles.name}>
            {name}
            {slug === me.org?.slug && <span className={styles.badge}>{t('account.activeOrganization')}</span>}
          </span>
          {roleSlug !== null && <span className={styles.text}>{t('account.role', { role: roleSlug })}</span>}
        </li>
      ))}
    </ul>
  );
}
