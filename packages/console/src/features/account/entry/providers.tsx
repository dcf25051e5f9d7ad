import { t } from '../../../i18n/language.js';
import styles from './entry.module.css';
import { LinkButton } from './entry-frame.js';
import { type LoginWays, providerAddress } from './login-ways.js';

/** Links to sign in at the identity providers. Each returns to `next`. */
export function Providers({ ways, next }: { readonly ways: LoginWays; readonly next: string }) {
  return (
    <ul className={styles.list} aria-label={t('account.waysTitle')}>
      {ways.providers.map(({ slug, name }) => (
        <li key={slug}>
          <LinkButton href={providerAddress(slug, next)}>{t('account.signInWith', { name })}</LinkButton>
        </li>
      ))}
    </ul>
  );
}
