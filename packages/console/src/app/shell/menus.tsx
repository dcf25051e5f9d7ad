import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Building2, ChevronDown, CircleUser, FileText, Keyboard, LogOut, UserCog } from 'lucide-react';
import { api } from '../../api/client.js';
import { meQuery } from '../../api/session.js';
import { signOut } from '../../features/account/sign-out.js';
import { chooseLanguage, LANGUAGES, language, t } from '../../i18n/language.js';
import { Button, IconButton } from '../../ui/controls/button.js';
import { Menu, MenuChoice, MenuItem, MenuSeparator } from '../../ui/overlays/menu.js';
import { mainPages } from '../../values/main-pages.js';
import { chooseTheme, THEMES, theme } from '../../values/theme.js';
import styles from './shell.module.css';

/** Who is signed in, theme, language, shortcuts and licences. */
export function AccountMenu({ onShortcuts }: { readonly onShortcuts: () => void }) {
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery);
  return (
    <Menu trigger={<IconButton label={t('common.account')} icon={<CircleUser size={20} aria-hidden />} />}>
      {me !== undefined && <p className={styles.person}>{me.email ?? me.firstName ?? me.id}</p>}
      <MenuItem icon={<UserCog size={16} aria-hidden />} onSelect={() => void navigate({ to: '/account' })}>
        {t('common.account')}
      </MenuItem>
      <MenuSeparator />
      {mainPages(me).map(({ to, title }) => (
        <MenuItem key={to} onSelect={() => void navigate({ to })}>
          {t(title)}
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem icon={<Keyboard size={16} aria-hidden />} onSelect={onShortcuts}>
        {t('palette.shortcuts')}
      </MenuItem>
      <MenuSeparator />
      <MenuChoice
        label={t('common.theme')}
        value={theme()}
        choices={THEMES.map(({ value, label }) => ({ value, label: t(label) }))}
        onChange={chooseTheme}
      />
      <MenuChoice
        label={t('common.language')}
        value={language()}
        choices={LANGUAGES}
        onChange={chooseLanguage}
      />
      <MenuSeparator />
      <MenuItem
        icon={<FileText size={16} aria-hidden />}
        onSelect={() => location.assign('/console/licenses.txt')}
      >
        {t('common.licences')}
      </MenuItem>
      <MenuItem icon={<LogOut size={16} aria-hidden />} onSelect={() => void signOut()}>
        {t('common.signOut')}
      </MenuItem>
    </Menu>
  );
}

/** The active organization, and the others that one may change to. */
export function OrganizationMenu() {
  const { data: me } = useQuery(meQuery);
  const change = useMutation({
    mutationFn: (orgSlug: string) => api.authentication.switchOrg({ orgSlug }),
    // Everything on the page belongs to the organization of before.
    onSuccess: () => location.assign('/console/collections'),
  });
  const name = me?.org?.name ?? t('common.noOrganization');
  if (me === undefined || me.organizations.length < 1) return null;
  if (me.organizations.length === 1 && me.org !== null) {
    return <span className={styles.organization}>{name}</span>;
  }
  return (
    <Menu
      trigger={
        <Button
          look="plain"
          className={styles.organization}
          aria-label={t('common.changeOrganization', { name })}
          icon={<Building2 size={16} aria-hidden />}
          disabled={change.isPending}
        >
          <span className={styles.ellipsis}>{name}</span>
          <ChevronDown size={14} aria-hidden />
        </Button>
      }
    >
      <MenuChoice
        label={t('common.organization')}
        value={me.org?.slug ?? ''}
        choices={me.organizations.map(each => ({ value: each.slug, label: each.name }))}
        onChange={slug => change.mutate(slug)}
      />
    </Menu>
  );
}
