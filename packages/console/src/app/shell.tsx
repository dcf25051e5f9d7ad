import { Link, Outlet } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { t } from '../i18n/language.js';
import { type Overlay, useShortcuts } from '../palette/use-shortcuts.js';
import { Button } from '../ui/button.js';
import { AccountMenu } from './account-menu.js';
import { ConnectionBanner } from './connection-banner.js';
import { OrganizationMenu } from './organization-menu.js';
import { SessionDialog } from './session-dialog.js';
import styles from './shell.module.css';

const Palette = lazy(async () => ({ default: (await import('../palette/palette.js')).Palette }));
const Shortcuts = lazy(async () => ({ default: (await import('../palette/shortcuts.js')).Shortcuts }));

/** What surrounds every page of somebody who is signed in. */
export function Shell() {
  const [overlay, setOverlay] = useState<Overlay>();
  const close = () => setOverlay(undefined);
  useShortcuts(setOverlay);
  return (
    <div className={styles.shell}>
      <a href="#content" className={styles.skip}>
        {t('common.skipToContent')}
      </a>
      <header className={styles.header}>
        <Link to="/collections" className={styles.brand} aria-label={t('common.productName')}>
          <img src="/console/favicon.svg" alt="" width={22} height={22} />
          <span className={styles.wide}>{t('common.productName')}</span>
        </Link>
        <OrganizationMenu />
        <span className={styles.space} />
        <Button
          look="plain"
          className={styles.search}
          aria-keyshortcuts="Control+K Meta+K"
          icon={<Search size={18} aria-hidden />}
          onClick={() => setOverlay('palette')}
        >
          <span className={styles.label}>{t('palette.open')}</span>
          <kbd aria-hidden className={styles.wide}>
            {t('palette.openKeys')}
          </kbd>
        </Button>
        <AccountMenu onShortcuts={() => setOverlay('shortcuts')} />
      </header>
      <ConnectionBanner />
      <main id="content" className={styles.main} tabIndex={-1}>
        <Outlet />
      </main>
      <SessionDialog />
      <Suspense>
        {overlay === 'palette' && <Palette onClose={close} onShortcuts={() => setOverlay('shortcuts')} />}
        {overlay === 'shortcuts' && <Shortcuts onClose={close} />}
      </Suspense>
    </div>
  );
}
