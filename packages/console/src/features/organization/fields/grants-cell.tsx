import { t } from '../../../i18n/language.js';
import styles from '../organization.module.css';

/** The permissions that a row names. The others are counted. */
const SHOWN = 4;

interface GrantsCellProps {
  readonly granted: { readonly permissions: readonly string[]; readonly scopes: readonly string[] };
}

/** What a key or a service account may do, and with which resources. */
export function GrantsCell({ granted: { permissions, scopes } }: GrantsCellProps) {
  const rest = permissions.length - SHOWN;
  return (
    <div className={styles.names}>
      <span className={styles.mono}>
        {permissions.slice(0, SHOWN).join(', ') || t('organization.nothing')}
        {rest > 0 && ` ${t('organization.andMore', { count: rest })}`}
      </span>
      {scopes.length > 0 && (
        <span className={styles.quiet}>
          {t('organization.limitedTo', { scopes: scopes.slice(0, SHOWN).join(', ') })}
          {scopes.length > SHOWN && ' …'}
        </span>
      )}
    </div>
  );
}
