import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { TcError } from '@typed-collections/client';
import { type ReactNode, useState } from 'react';
import { api } from '../../../api/client.js';
import type { Me } from '../../../api/session.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { TextField } from '../../../ui/controls/field.js';
import { Section } from '../../../ui/data/section.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { ErrorBox } from '../../../ui/states.js';
import { moment } from '../../../values/dates.js';
import { deviceName } from '../device-name.js';
import { addPasskey, hasPasskeys } from '../passkeys/ceremonies.js';
import { CeremonyProblem } from '../passkeys/ceremony-problem.js';
import { ConfirmIdentity } from '../passkeys/confirm-identity.js';
import styles from '../passkeys/passkeys.module.css';
import { LISTS, passkeysQuery } from './queries.js';
import { ConfirmButton, Row, Rows } from './section.js';

/** The passkeys of the person. */
export function Passkeys({ me }: { readonly me: Me }) {
  const query = useQuery(passkeysQuery);
  const isLast = query.data?.total === 1;
  return (
    <Section
      title={t('account.passkeys')}
      text={t(hasPasskeys() ? 'account.passkeysText' : 'account.noPasskeysInBrowser')}
      actions={hasPasskeys() && <AddPasskey me={me} hasPasskeys={(query.data?.total ?? 0) > 0} />}
    >
      <Rows label={t('account.passkeys')} query={query} empty={t('account.passkeysNone')}>
        {({ id, name, created_at, last_used_at }) => (
          <Row
            key={id}
            name={name}
            meta={[
              t('account.created', { date: moment(created_at) }),
              last_used_at === null
                ? t('account.neverUsed')
                : t('account.lastUsed', { date: moment(last_used_at) }),
            ]}
            actions={
              <>
                <RenamePasskey id={id} name={name} />
                <ConfirmButton
                  label={t('account.passkeyDelete')}
                  name={t('account.passkeyDeleteOf', { name })}
                  title={t('account.passkeyDeleteTitle', { name })}
                  texts={[t('account.passkeyDeleteText'), isLast && t('account.passkeyDeleteLast')]}
                  run={() => api.authentication.deletePasskey({ id })}
                />
              </>
            }
          />
        )}
      </Rows>
    </Section>
  );
}

/** Gives a passkey another name. */
function RenamePasskey({ id, name }: { readonly id: string; readonly name: string }) {
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

interface AddPasskeyProps {
  readonly me: Me;
  /** True if the person can confirm with a passkey. */
  readonly hasPasskeys: boolean;
}

/** Adds a passkey. The service asks for a recent sign-in, which the person then confirms and goes on. */
function AddPasskey({ me, hasPasskeys }: AddPasskeyProps) {
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

/** The longest name that the service takes. */
const MAX_LENGTH = 100;

interface PasskeyNameFormProps {
  readonly initial: string;
  /** The text of the button. */
  readonly action: string;
  readonly isBusy: boolean;
  readonly onCancel: () => void;
  readonly onName: (name: string) => void;
  /** What went wrong. */
  readonly children: ReactNode;
}

/** The content of a dialog that asks for the name of a passkey. */
function PasskeyNameForm({ initial, action, isBusy, onCancel, onName, children }: PasskeyNameFormProps) {
  const [name, setName] = useState(initial);
  const [isMissing, setMissing] = useState(false);
  return (
    <form
      className={styles.stack}
      noValidate
      onSubmit={event => {
        event.preventDefault();
        setMissing(name.trim() === '');
        if (name.trim() !== '') onName(name.trim());
      }}
    >
      <TextField
        label={t('account.passkeyName')}
        error={isMissing ? t('account.passkeyNameMissing') : undefined}
        maxLength={MAX_LENGTH}
        required
        value={name}
        onChange={value => {
          setName(value);
          setMissing(false);
        }}
      />
      {children}
      <div className={styles.buttons}>
        <Button onClick={onCancel}>{t('common.cancel')}</Button>
        <Button type="submit" look="primary" disabled={isBusy}>
          {action}
        </Button>
      </div>
    </form>
  );
}
