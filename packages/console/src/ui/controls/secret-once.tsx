import type { ReactNode } from 'react';
import { t } from '../../i18n/language.js';
import { useSecretShown } from '../overlays/close-question.js';
import { Code } from './code.js';
import styles from './secret-once.module.css';

interface SecretOnceProps {
  /** What the secret is, for example "Secret of the key reports". */
  readonly label: string;
  readonly secret: string;
  /** How the secret is used, for example a command to copy. */
  readonly children?: ReactNode;
}

/**
 * A secret that the service shows this once, to copy. Keep the secret in the state of a component: not in the cache, the
 * address or the storage of the browser.
 */
export function SecretOnce({ label, secret, children }: SecretOnceProps) {
  useSecretShown();
  return (
    <div className={styles.secret}>
      <h3>{label}</h3>
      <p className={styles.warning}>{t('common.secretOnce')}</p>
      <Code text={secret} label={label} copyLabel={t('common.copyOf', { name: label })} />
      {children}
    </div>
  );
}
