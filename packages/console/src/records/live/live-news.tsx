import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import styles from './live.module.css';

/** Tells of new records that the grid does not show yet, and shows them when somebody wants to. */
export function LiveNews({ count, onShow }: { readonly count: number; readonly onShow: () => void }) {
  return (
    <div role="status" className={count === 0 ? 'visually-hidden' : styles.news}>
      {count > 0 && (
        <>
          {t('live.news', { count })}
          <Button onClick={onShow}>{t('live.show')}</Button>
        </>
      )}
    </div>
  );
}
