import { Ban, Check, CircleDot, Minus } from 'lucide-react';
import { type Directory, nameIn } from '../../../api/directory.js';
import { t } from '../../../i18n/language.js';
import { roleName } from '../../../values/role-name.js';
import type { Explanation } from '../queries.js';
import styles from './chain.module.css';

interface AccessChainProps {
  readonly explanation: Explanation;
  readonly name: string;
  readonly orgSlug: string;
  readonly directory: Directory | undefined;
}

const ICONS = { grants: Check, none: Minus, denies: Ban };

/** The paths from a principal to its role, in the order in which the service looks at them. */
export function AccessChain({ explanation, name, orgSlug, directory }: AccessChainProps) {
  const { role, paths, principal_type: type } = explanation;
  const isDenied = paths.some(({ outcome }) => outcome === 'denies');
  return (
    <ol className={styles.chain} aria-label={t('access.chain')}>
      <li>
        <CircleDot size={18} aria-hidden className={styles.icon} />
        <strong>{name}</strong>
      </li>
      {type === 'user' && !isDenied && (
        <li className={styles.grants}>
          <Check size={18} aria-hidden className={styles.icon} />
          {t('access.isMember', { org: orgSlug })}
        </li>
      )}
      {paths.map(path => {
        const Icon = ICONS[path.outcome];
        const of = path.principal_id ?? '';
        const group = of === '' ? '' : nameIn(directory, { type: 'group', id: of });
        return (
          <li key={`${path.path} ${of}`} className={styles[path.outcome]}>
            <Icon size={18} aria-hidden className={styles.icon} />
            <span>{t(`access.path_${path.path}`, { group, org: orgSlug })}</span>
            <span className={styles.outcome}>
              {path.role === undefined ? t(`access.outcome_${path.outcome}`) : roleName(path.role)}
            </span>
          </li>
        );
      })}
      <li className={role === null ? styles.denies : styles.result}>
        {role === null ? (
          <Ban size={18} aria-hidden className={styles.icon} />
        ) : (
          <Check size={18} aria-hidden className={styles.icon} />
        )}
        <strong>
          {role === null ? t('access.noAccess') : t('access.highest', { role: roleName(role) })}
        </strong>
      </li>
    </ol>
  );
}
