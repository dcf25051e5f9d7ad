import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { CircleUser } from 'lucide-react';
import { api } from '../api/client.js';
import { meQuery } from '../api/session.js';
import { chooseLanguage, language, t } from '../i18n/language.js';
import { IconButton } from '../ui/button.js';
import { Menu, MenuChoice, MenuItem, MenuSeparator } from '../ui/menu.js';
import { chooseTheme, theme } from './theme.js';

/** Who is signed in, the active organization, theme and language. */
export function AccountMenu() {
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery);
  const signOut = async () => {
    await api.authentication.logout();
    location.assign('/console/sign-in');
  };
  return (
    <Menu trigger={<IconButton label={t('common.account')} icon={<CircleUser size={20} aria-hidden />} />}>
      {me !== undefined && <p>{me.email ?? me.firstName ?? me.id}</p>}
      <MenuItem onSelect={() => void navigate({ to: '/account' })}>{t('common.account')}</MenuItem>
      <MenuSeparator />
      <MenuChoice
        label={t('common.theme')}
        value={theme()}
        choices={[
          { value: 'system', label: t('common.themeSystem') },
          { value: 'light', label: t('common.themeLight') },
          { value: 'dark', label: t('common.themeDark') },
        ]}
        onChange={chooseTheme}
      />
      <MenuChoice
        label={t('common.language')}
        value={language()}
        choices={[
          { value: 'en', label: 'English' },
          { value: 'fr', label: 'Français' },
        ]}
        onChange={chooseLanguage}
      />
      <MenuSeparator />
      <MenuItem onSelect={() => void signOut()}>{t('common.signOut')}</MenuItem>
    </Menu>
  );
}
