import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { MoreHorizontal } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.js';
import type { CollectionInfo } from '../../api/collection-query.js';
import { featuresQuery } from '../../api/session.js';
import { t } from '../../i18n/language.js';
import { IconButton } from '../../ui/controls/button.js';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.js';
import { Menu, MenuItem } from '../../ui/overlays/menu.js';

/** What can be done with the collection as a whole. Nothing is shown to those who may not. */
export function CollectionMenu({ info }: { readonly info: CollectionInfo }) {
  const { name, collection_id, my_rights } = info;
  const [isDeleting, setDeleting] = useState(false);
  const { data: features } = useQuery(featuresQuery);
  const cache = useQueryClient();
  const navigate = useNavigate();
  if (!my_rights.includes('delete')) return null;
  const days = features?.trash_days ?? 0;
  const run = async () => {
    await api.collections.deleteCollection({ collection_id });
    await navigate({ to: '/collections' });
    await Promise.all([
      cache.invalidateQueries({ queryKey: ['collections'] }),
      cache.invalidateQueries({ queryKey: ['trash'] }),
    ]);
  };
  return (
    <>
      <Menu
        trigger={
          <IconButton
            label={t('collections.trash_menuOf', { name })}
            icon={<MoreHorizontal size={18} aria-hidden />}
          />
        }
      >
        <MenuItem onSelect={() => setDeleting(true)}>{t('collections.trash_delete')}</MenuItem>
      </Menu>
      <ConfirmDialog
        open={isDeleting}
        onClose={() => setDeleting(false)}
        title={t('collections.trash_deleteTitle', { name })}
        action={t('collections.trash_deleteNow')}
        run={run}
        typedName={name}
      >
        <p>{days > 0 ? t('collections.trash_deleteText', { days }) : t('collections.trash_deleteForGood')}</p>
        <p>{t('collections.trash_deleteKeys')}</p>
      </ConfirmDialog>
    </>
  );
}
