import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { FileText, Keyboard, LogOut, UserCog } from 'lucide-react';
import type { ReactElement } from 'react';
import { api } from '../../api/client.js';
import { type Me, meQuery } from '../../api/session.js';
import { signOut } from '../../features/account/sign-out.js';
import { chooseLanguage, LANGUAGES, language, t } from '../../i18n/language.js';
import { Menu, MenuChoice, MenuItem, MenuSeparator } from '../../ui/overlays/menu.js';
import { mainPages } from '../../values/main-pages.js';
import { chooseTheme, THEMES, theme } from '../../values/theme.js';
import styles from './shell.module.css';

interface MenuProps {
  /** The button, which the page has already shown. */
  readonly trigger: ReactElement;
}

/** Who is signed in, theme, language, shortcuts and licences. */
export function AccountMenu({ trigger, onShortcuts }: MenuProps & { readonly onShortcuts: () => void }) {
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery);
  return (
    <Menu trigger={trigger} defaultOpen>
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

/** The organizations that the person may change to. */
export function OrganizationMenu({ trigger, me }: MenuProps & { readonly me: Me }) {
  const change = useMutation({
    mutationFn: (orgSlug: string) => api.authentication.switchOrg({ orgSlug }),
    // Everything on the page belongs to the organization of before.
    onSuccess: () => location.assign('/console/collections'),
  });
  return (
    <Menu trigger={trigger} defaultOpen disabled={change.isPending}>
      <MenuChoice
        label={t('common.organization')}
        value={me.org?.slug ?? ''}
        choices={me.organizations.map(each => ({ value: each.slug, label: each.name }))}
        onChange={slug => change.mutate(slug)}
      />
    </Menu>
  );
}
