import { useMutation } from '@tanstack/react-query';
import type { Me } from '../../../api/session.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { ErrorBox } from '../../../ui/states/error-box.js';
import { nameOf } from '../../../values/person.js';
import { endSession } from '../sign-out.js';
import styles from './entry.module.css';
import { useEnter } from './use-enter.js';

interface SignedInAlreadyProps {
  readonly me: Me;
  readonly next: string | undefined;
  readonly onSignedOut: () => void;
}

/** For a person who is signed in already: continue, or sign out to use another account. */
export function SignedInAlready({ me, next, onSignedOut }: SignedInAlreadyProps) {
  const enter = useEnter();
  const signOut = useMutation({ mutationFn: endSession, onSuccess: onSignedOut });
  return (
    <div className={styles.stack}>
      <p>{t('account.signedInAs', { name: nameOf(me) })}</p>
      {me.org !== null && <p className={styles.quiet}>{t('account.inOrganization', { org: me.org.name })}</p>}
      <Button look="primary" className={styles.wide ?? ''} onClick={() => enter(next)}>
        {t('account.goOn')}
      </Button>
      <Button className={styles.wide ?? ''} disabled={signOut.isPending} onClick={() => signOut.mutate()}>
        {t('account.useOtherAccount')}
      </Button>
      {signOut.error !== null && <ErrorBox error={signOut.error} />}
    </div>
  );
}
