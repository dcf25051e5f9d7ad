import { t } from '../../../i18n/language.js';
import styles from '../organization.module.css';
import { NameCell } from './name-cell.js';

type Granted = Parameters<typeof GrantsCell>[0]['granted'];

/** A credential as its list shows it, without its secret. */
type Credential = Granted & {
  readonly name: string;
  readonly slug: string;
  readonly prefix: string;
  readonly disabled: boolean;
  readonly expiresAt?: string | null;
};

/** The first columns of a list of credentials: the name with what it is recognized by, and what the credential may do. */
export function credentialColumns<Listed extends Credential>(title: string) {
  return [
    {
      title,
      cell: ({ name, slug, prefix, disabled, expiresAt = null }: Listed) => (
        <NameCell
          name={name}
          below={
            <span className={styles.mono}>
              {slug} · {prefix}
            </span>
          }
          warnings={[
            disabled && t('organization.disabled'),
            expiresAt !== null && new Date(expiresAt) < new Date() && t('organization.expired'),
          ]}
        />
      ),
    },
    { title: t('organization.may'), cell: (credential: Listed) => <GrantsCell granted={credential} /> },
  ];
}

/** The permissions that a row names. The others are counted. */
const SHOWN = 4;

interface GrantsCellProps {
  readonly granted: { readonly permissions: readonly string[]; readonly scopes: readonly string[] };
}

/** What a key or a service account may do, and with which resources. */
function GrantsCell({ granted: { permissions, scopes } }: GrantsCellProps) {
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
