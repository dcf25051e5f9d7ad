import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { TcError } from '@typed-collections/client';
import { Building2, ChevronDown, CircleUser, Search } from 'lucide-react';
import {
  type ComponentProps,
  cloneElement,
  lazy,
  type ReactElement,
  type ReactNode,
  Suspense,
  useEffect,
  useState,
} from 'react';
import { api } from '../../api/client.js';
import { serviceUnreachable, sessionEnded, useFlag } from '../../api/page-flags.js';
import { repeatFailedQueries } from '../../api/query-client.js';
import { meQuery } from '../../api/session.js';
import { followSession } from '../../api/session-return.js';
import { type Overlay, useShortcuts } from '../../features/palette/use-shortcuts.js';
import { t } from '../../i18n/language.js';
import { Button, IconButton } from '../../ui/controls/button.js';
import { mainPages } from '../../values/main-pages.js';
import styles from './shell.module.css';

// Menus and dialogs are a quarter of the code of the first page, which does not wait for them.
const loadMenus = () => import('./menus.js');
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
        <Organization />
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
        <MenuButton
          trigger={<IconButton label={t('common.account')} icon={<CircleUser size={20} aria-hidden />} />}
          menu={({ AccountMenu }, trigger) => (
            <AccountMenu trigger={trigger} onShortcuts={() => setOverlay('shortcuts')} />
          )}
        />
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

type Menus = Awaited<ReturnType<typeof loadMenus>>;

interface MenuButtonProps {
  readonly trigger: ReactElement<ComponentProps<'button'>>;
  readonly menu: (menus: Menus, trigger: ReactElement) => ReactNode;
}

/** A button whose menu is loaded when somebody is about to open it. */
function MenuButton({ trigger, menu }: MenuButtonProps) {
  const [menus, setMenus] = useState<Menus>();
  if (menus !== undefined) return menu(menus, trigger);
  const load = () => void loadMenus().catch(() => undefined);
  const open = () => void loadMenus().then(setMenus, () => serviceUnreachable.set(true));
  return cloneElement(trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onPointerEnter: load,
    onFocus: load,
    onClick: open,
    onKeyDown: ({ key }) => {
      if (key === 'ArrowDown' || key === 'ArrowUp') open();
    },
  });
}

/** The active organization, and how to change to another one. */
function Organization() {
  const { data: me } = useQuery(meQuery);
  const name = me?.org?.name ?? t('common.noOrganization');
  if (me === undefined || me.organizations.length < 1) return null;
  if (me.organizations.length === 1 && me.org !== null) {
    return <span className={styles.organization}>{name}</span>;
  }
  return (
    <MenuButton
      trigger={
        <Button
          look="plain"
          className={styles.organization}
          aria-label={t('common.changeOrganization', { name })}
          icon={<Building2 size={16} aria-hidden />}
        >
          <span className={styles.ellipsis}>{name}</span>
          <ChevronDown size={14} aria-hidden />
        </Button>
      }
      menu={({ OrganizationMenu }, trigger) => <OrganizationMenu trigger={trigger} me={me} />}
    />
  );
}

/** Links to the main pages. Narrow screens have them in the menu of the account. */
function MainPages() {
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

const PAUSE_MS = 1_000;

/** The message that the service does not answer. When the service answers again, failed requests are repeated. */
function ConnectionBanner() {
  const unreachable = useFlag(serviceUnreachable);
  useEffect(() => (unreachable ? watchForService() : undefined), [unreachable]);
  return (
    <div role="status">
      {unreachable && <p className={styles.banner}>{t('common.serviceUnreachable')}</p>}
    </div>
  );
}

/** Asks until the service answers. Returns how to stop. */
function watchForService(): () => void {
  const stop = new AbortController();
  const ask = async () => {
    const answered = await api.authentication.getMe({}, { signal: stop.signal }).then(() => true, isRefusal);
    if (stop.signal.aborted) return;
    if (!answered) {
      setTimeout(() => void ask(), PAUSE_MS);
      return;
    }
    serviceUnreachable.set(false);
    repeatFailedQueries();
  };
  void ask();
  return () => stop.abort();
}

/** A refusal is an answer of the service; 5xx may be that of a proxy before it. */
function isRefusal(error: unknown): boolean {
  return error instanceof TcError && error.status >= 400 && error.status < 500;
}
