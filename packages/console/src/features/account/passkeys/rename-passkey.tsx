import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { ErrorBox } from '../../../ui/states/error-box.js';
import { passkeysQuery } from '../sections/queries.js';
import { PasskeyNameForm } from './passkey-name-form.js';

/** Gives a passkey another name. */
export function RenamePasskey({ id, name }: { readonly id: string; readonly name: string }) {
  const [open, setOpen] = useState(false);
  const queryClient = useQueryClient();
  const rename = useMutation({
    mutationFn: (newName: string) => api.authentication.renamePasskey({ id, name: newName }),
    onSuccess: () => {
      setOpen(false);
      return queryClient.invalidateQueries(passkeysQuery);
    },
  });
  const change = (next: boolean) => {
    setOpen(next);
    rename.reset();
  };
  return (
    <>
      <Button aria-label={t('account.passkeyRenameOf', { name })} onClick={() => change(true)}>
        {t('account.passkeyRename')}
      </Button>
      <Dialog keepsInput open={open} onOpenChange={change} title={t('account.passkeyRenameTitle', { name })}>
        <PasskeyNameForm
          initial={name}
          action={t('common.save')}
          isBusy={rename.isPending}
          onCancel={() => change(false)}
          onName={rename.mutate}
        >
          {rename.error !== null && <ErrorBox error={rename.error} />}
        </PasskeyNameForm>
      </Dialog>
    </>
  );
}
