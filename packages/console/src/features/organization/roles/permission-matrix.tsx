import { isAllowed } from '../../../api/permissions.js';
import { t } from '../../../i18n/language.js';
import { othersAmong, PRODUCTS } from '../fields/permissions.js';
import type { Role } from '../lists.js';
import styles from './permission-matrix.module.css';

/** One row for each permission, one column for each role: what the role effectively allows, wildcards included. */
export function PermissionMatrix({ roles }: { readonly roles: readonly Role[] }) {
  const others = [...new Set(roles.flatMap(({ permissions }) => othersAmong(permissions)))].sort();
  const products = [
    ...PRODUCTS.map(({ title, permissions }) => ({
      title: t(title),
      permissions: Object.entries(permissions).map(([permission, text]) => ({ permission, text: t(text) })),
    })),
    {
      title: t('organization.otherPermissions'),
      permissions: others.map(permission => ({ permission, text: '' })),
    },
  ].filter(({ permissions }) => permissions.length > 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section tabIndex={0} aria-label={t('organization.matrixTable')} className={styles.scroller}>
      <table className={styles.matrix}>
        <thead>
          <tr>
            <th scope="col">{t('organization.permission')}</th>
            {roles.map(({ slug, name }) => (
              <th key={slug} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        {products.map(({ title, permissions }) => (
          <tbody key={title}>
            <tr>
              <th scope="rowgroup" colSpan={roles.length + 1} className={styles.product}>
                {title}
              </th>
            </tr>
            {permissions.map(({ permission, text }) => (
              <tr key={permission}>
                <th scope="row">
                  {text}
                  <span className={styles.permission}>{permission}</span>
                </th>
                {roles.map(role => (
                  <Cell key={role.slug} isHeld={isAllowed(role, permission)} />
                ))}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </section>
  );
}

function Cell({ isHeld }: { readonly isHeld: boolean }) {
  return (
    <td className={isHeld ? styles.held : styles.missing}>
      <span aria-hidden>{isHeld ? '✓' : '–'}</span>
      <span className="visually-hidden">{t(isHeld ? 'organization.yes' : 'organization.no')}</span>
    </td>
  );
}
