import { useMutation, useQueryClient } from '@tanstack/react-query';
import { TcError } from '@typed-collections/client';
import { useState } from 'react';
import type { Me } from '../../../api/session.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { deviceName } from '../device-name.js';
import { LISTS } from '../sections/queries.js';
import { addPasskey } from './ceremonies.js';
import { CeremonyProblem } from './ceremony-problem.js';
import { ConfirmIdentity } from './confirm-identity.js';
import { PasskeyNameForm } from './passkey-name-form.js';
import styles from './passkeys.module.css';

interface AddPasskeyProps {
  readonly me: Me;
  /** True if the person can confirm with a passkey. */
  readonly hasPasskeys: boolean;
}

/** Adds a passkey. The service asks for a recent sign-in, which the person then confirms and goes on. */
export function AddPasskey({ me, hasPasskeys }: AddPasskeyProps) {
  const [open, setOpen] = useState(false);
  const queryClient = useQueryClient();
  const add = useMutation({
    mutationFn: addPasskey,
    onSuccess: () => {
      setOpen(false);
      return queryClient.invalidateQueries({ queryKey: LISTS });
    },
  });
  const change = (next: boolean) => {
    setOpen(next);
    add.reset();
  };
  const mustConfirm = add.error instanceof TcError && add.error.status === 403;
  return (
    <>
      <Button onClick={() => change(true)}>{t('account.passkeyAdd')}</Button>
      <Dialog
        open={open}
        onOpenChange={change}
        title={t(mustConfirm ? 'account.confirmTitle' : 'account.passkeyAddTitle')}
      >
        {mustConfirm ? (
          <ConfirmIdentity
            me={me}
            hasPasskeys={hasPasskeys}
            onConfirmed={() => add.mutate(add.variables as string)}
          />
        ) : (
          <div className={styles.stack}>
            <p>{t('account.passkeyAddText')}</p>
            <PasskeyNameForm
              initial={add.variables ?? deviceName(navigator.userAgent)}
              action={t('account.passkeyAdd')}
              isBusy={add.isPending}
              onCancel={() => change(false)}
              onName={add.mutate}
            >
              {add.error !== null && <CeremonyProblem error={add.error} />}
            </PasskeyNameForm>
          </div>
        )}
      </Dialog>
    </>
  );
}
