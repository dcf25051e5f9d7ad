import type { Me } from '../../../api/session.js';
import { t } from '../../../i18n/language.js';
import { Section } from '../../../ui/data/section.js';
import { fullName } from '../../../values/person.js';
import styles from './section.module.css';

/** Who is signed in, and the organizations with their roles. */
export function Profile({ me }: { readonly me: Me }) {
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
