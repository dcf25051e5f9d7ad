import { t } from '../../../i18n/language.js';
import styles from '../organization.module.css';
import { GrantsCell } from './grants-cell.js';
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
