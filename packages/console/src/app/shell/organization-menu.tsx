import { useMutation, useQuery } from '@tanstack/react-query';
import { Building2, ChevronDown } from 'lucide-react';
import { api } from '../../api/client.js';
import { meQuery } from '../../api/session.js';
import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { Menu, MenuChoice } from '../../ui/overlays/menu.js';
import styles from './shell.module.css';

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
