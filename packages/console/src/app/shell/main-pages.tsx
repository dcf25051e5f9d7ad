import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { meQuery } from '../../api/session.js';
import { t } from '../../i18n/language.js';
import { mainPages } from '../../values/main-pages.js';
import styles from './shell.module.css';

/** Links to the main pages. Narrow screens have them in the menu of the account. */
export function MainPages() {
  const { data: me } = useQuery(meQuery);
  return (
    <nav aria-label={t('common.mainPages')} className={styles.pages}>
      {mainPages(me).map(({ to, title }) => (
        <Link key={to} to={to} activeOptions={{ includeSearch: false }}>
          {t(title)}
        </Link>
      ))}
    </nav>
  );
}
