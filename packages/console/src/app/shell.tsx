import { Link, Outlet } from '@tanstack/react-router';
import { t } from '../i18n/language.js';
import { AccountMenu } from './account-menu.js';
import { SessionDialog } from './session-dialog.js';
import styles from './shell.module.css';

/** What surrounds every page of somebody who is signed in. */
export function Shell() {
  return (
    <>
      <a href="#content" className={styles.skip}>
        {t('common.skipToContent')}
      </a>
      <header className={styles.header}>
        <Link to="/collections" className={styles.brand}>
          <img src="/console/favicon.svg" alt="" width={22} height={22} />
          {t('common.productName')}
        </Link>
        <AccountMenu />
      </header>
      <main id="content" className={styles.main} tabIndex={-1}>
        <Outlet />
      </main>
      <SessionDialog />
    </>
  );
}
