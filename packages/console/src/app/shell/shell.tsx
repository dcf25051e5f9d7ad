import { Link, Outlet } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { sessionEnded, useFlag } from '../../api/page-flags.js';
import { followSession } from '../../api/session-return.js';
import { type Overlay, useShortcuts } from '../../features/palette/use-shortcuts.js';
import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { ConnectionBanner } from './connection-banner.js';
import { MainPages } from './main-pages.js';
import styles from './shell.module.css';

// Menus and dialogs are a quarter of the code of the first page, which does not wait for them.
const AccountMenu = lazy(async () => ({ default: (await import('./account-menu.js')).AccountMenu }));
const OrganizationMenu = lazy(async () => ({
  default: (await import('./organization-menu.js')).OrganizationMenu,
}));
const loadSessionDialog = () => import('../session/session-dialog.js');
const loadPalette = () => import('../../features/palette/palette.js');
const loadShortcuts = () => import('../../features/palette/shortcuts.js');
const SessionDialog = lazy(async () => ({ default: (await loadSessionDialog()).SessionDialog }));
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }));
const Shortcuts = lazy(async () => ({ default: (await loadShortcuts()).Shortcuts }));

/** Loads the dialogs after the page, because the service may be away when one of them is needed. */
function loadDialogs(): void {
  for (const load of [loadSessionDialog, loadPalette, loadShortcuts]) void load().catch(() => undefined);
}

/** The frame of every page for people who are signed in. */
export function Shell() {
  const [overlay, setOverlay] = useState<Overlay>();
  const hasEnded = useFlag(sessionEnded);
  const close = () => setOverlay(undefined);
  useShortcuts(setOverlay);
  useEffect(loadDialogs, []);
  useEffect(followSession, []);
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
        <Suspense>
          <OrganizationMenu />
        </Suspense>
        <MainPages />
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
        <Suspense fallback={<span className={styles.menuSpace} />}>
          <AccountMenu onShortcuts={() => setOverlay('shortcuts')} />
        </Suspense>
      </header>
      <ConnectionBanner />
      <main id="content" className={styles.main} tabIndex={-1}>
        <Outlet />
      </main>
      <Suspense>
        {hasEnded && <SessionDialog />}
        {overlay === 'palette' && <Palette onClose={close} onShortcuts={() => setOverlay('shortcuts')} />}
        {overlay === 'shortcuts' && <Shortcuts onClose={close} />}
      </Suspense>
    </div>
  );
}
