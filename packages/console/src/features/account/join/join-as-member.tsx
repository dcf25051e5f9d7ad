import { useMutation } from '@tanstack/react-query';
import { TcError } from '@typed-collections/client';
import { api } from '../../../api/client.js';
import type { Me } from '../../../api/session.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { ErrorBox } from '../../../ui/states/error-box.js';
import { nameOf } from '../../../values/person.js';
import styles from '../entry/entry.module.css';
import { LinkButton } from '../entry/link-button.js';
import { HOME } from '../entry/use-enter.js';
import { endSession } from '../sign-out.js';
import { isUnusable } from './unusable.js';

interface JoinAsMemberProps {
  readonly me: Me;
  readonly code: string;
  readonly onJoined: () => void;
  readonly onUnusable: () => void;
  readonly onSignedOut: () => void;
}

/** For a person who is signed in: join with this account. The new organization becomes the active one. */
export function JoinAsMember({ me, code, onJoined, onUnusable, onSignedOut }: JoinAsMemberProps) {
  const join = useMutation({
    mutationFn: async () => {
      const { slug } = await api.invitations.joinOrg({ code });
      await api.authentication.switchOrg({ orgSlug: slug });
    },
    onSuccess: onJoined,
    onError: error => isUnusable(error) && onUnusable(),
  });
  const signOut = useMutation({ mutationFn: endSession, onSuccess: onSignedOut });
  const error = join.error ?? signOut.error;
  if (error instanceof TcError && error.code === 'AlreadyExists') {
    return (
      <>
        <p role="alert">{t('account.joinMember')}</p>
        <LinkButton look="primary" href={HOME}>
          {t('account.goToCollections')}
        </LinkButton>
      </>
    );
  }
  const isBusy = join.isPending || signOut.isPending;
  return (
    <div className={styles.stack}>
      <p>{t('account.joinAsText')}</p>
      <Button look="primary" className={styles.wide ?? ''} disabled={isBusy} onClick={() => join.mutate()}>
        {t('account.joinAs', { name: nameOf(me) })}
      </Button>
      <Button className={styles.wide ?? ''} disabled={isBusy} onClick={() => signOut.mutate()}>
        {t('account.joinSignOut')}
      </Button>
      {error !== null && !isUnusable(error) && <ErrorBox error={error} />}
    </div>
  );
}
