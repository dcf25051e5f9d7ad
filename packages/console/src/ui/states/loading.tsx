import { t } from '../../i18n/language.js';
import styles from './loading.module.css';

/** Grey lines where text will be. Screen readers hear one word. */
export function Loading({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div role="status" className={styles.loading}>
      <span className="visually-hidden">{t('common.loading')}</span>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all the same
        <span key={line} aria-hidden className={styles.line} />
      ))}
    </div>
  );
}
