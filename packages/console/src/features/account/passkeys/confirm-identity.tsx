import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import { type Me, meQuery } from '../../../api/session.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import button from '../../../ui/controls/button.module.css';
import { signInWithPasskey } from './ceremonies.js';
import { CeremonyProblem } from './ceremony-problem.js';
import styles from './passkeys.module.css';

const ACCOUNT = '/console/account';
const SIGN_IN = `/console/sign-in?${new URLSearchParams({ next: ACCOUNT, again: 'true' })}`;

interface ConfirmIdentityProps {
  readonly me: Me;
  readonly hasPasskeys: boolean;
  readonly onConfirmed: () => void;
}

/** A sign-in that is too old for a step is renewed with a passkey, or at the sign-in page. */
export function ConfirmIdentity({ me, hasPasskeys, onConfirmed }: ConfirmIdentityProps) {
  const queryClient = useQueryClient();
  const confirm = useMutation({
    mutationFn: () => renewSession(me),
    onSuccess: isSamePerson => {
      if (!isSamePerson) return;
      void queryClient.invalidateQueries(meQuery);
      onConfirmed();
    },
  });
  if (confirm.data === false) {
    return (
      <div className={styles.stack}>
        <p role="alert">{t('account.confirmedOther')}</p>
        <div className={styles.buttons}>
          <Button look="primary" onClick={() => location.assign(ACCOUNT)}>
            {t('account.goOn')}
          </Button>
        </div>
      </div>
    );
  }
  return (
    <div className={styles.stack}>
      <p>{t('account.confirmText')}</p>
      {confirm.error !== null && <CeremonyProblem error={confirm.error} />}
      <div className={styles.buttons}>
        <a className={`${button.button} ${button.normal}`} href={SIGN_IN}>
          {t('account.confirmBySignIn')}
        </a>
        {hasPasskeys && (
          <Button look="primary" disabled={confirm.isPending} onClick={() => confirm.mutate()}>
            {t('account.confirmWithPasskey')}
          </Button>
        )}
      </div>
    </div>
  );
}

/**
 * Replaces the session of this browser by a new one in the same organization. False if the passkey belongs to another
 * person, who is signed in then.
 */
async function renewSession({ id, sessionId, org }: Me): Promise<boolean> {
  const { userId, active_org } = await signInWithPasskey();
  if (userId !== id) return false;
  if (org !== null && org.slug !== active_org) await api.authentication.switchOrg({ orgSlug: org.slug });
  // No browser has the cookie of the old session any more.
  if (sessionId !== null) await api.authentication.revokeSession({ id: sessionId });
  return true;
}
