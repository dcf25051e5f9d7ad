import { useMutation, useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { ErrorBox } from '../../../ui/states/error-box.js';
import { Loading } from '../../../ui/states/loading.js';
import styles from './entry.module.css';
import { Help, OperatorSteps } from './help.js';
import { canUsePasskeys, loginWaysQuery } from './login-ways.js';
import { PasskeyForm } from './passkey-form.js';
import { Providers } from './providers.js';
import { HOME } from './use-enter.js';

interface WaysToSignInProps {
  readonly next: string | undefined;
  readonly org: string | undefined;
  readonly onSignedIn: () => void;
}

/** Every way to sign in that this installation and this browser have. */
export function WaysToSignIn({ next, org, onSignedIn }: WaysToSignInProps) {
  const { data: ways, error, refetch } = useQuery(loginWaysQuery(org));
  if (error !== null) return <ErrorBox error={error} onRetry={() => void refetch()} />;
  if (ways === undefined) return <Loading lines={4} />;
  const passkeys = canUsePasskeys(ways);
  const isVisited = org !== undefined && ways.anonymous;
  if (!passkeys && ways.providers.length === 0 && !isVisited)
    return <NoWay passkeys={ways.passkeys} next={next} />;
  return (
    <>
      {passkeys ? (
        <PasskeyForm onSignedIn={onSignedIn} />
      ) : (
        <p className={styles.quiet}>
          {t(ways.passkeys ? 'account.noPasskeysInBrowser' : 'account.passkeysOff')}
        </p>
      )}
      {passkeys && ways.providers.length > 0 && <p className={styles.or}>{t('account.or')}</p>}
      {ways.providers.length > 0 && <Providers ways={ways} next={next ?? HOME} />}
      {isVisited && <Visit org={org} onSignedIn={onSignedIn} />}
      <Help next={next} />
    </>
  );
}

/** For people without an account, where an organization admits them. */
function Visit({ org, onSignedIn }: { readonly org: string; readonly onSignedIn: () => void }) {
  const visit = useMutation({
    mutationFn: () => api.authentication.enterAnonymously({ orgSlug: org }),
    onSuccess: onSignedIn,
  });
  return (
    <div className={styles.stack}>
      <p className={styles.quiet}>{t('account.enterAnonymouslyHint', { org })}</p>
      <Button className={styles.wide ?? ''} disabled={visit.isPending} onClick={() => visit.mutate()}>
        {t('account.enterAnonymously')}
      </Button>
      {visit.error !== null && <ErrorBox error={visit.error} />}
    </div>
  );
}

/** Nobody can sign in here, or nobody with this browser. A link works nevertheless. */
function NoWay({ passkeys, next }: { readonly passkeys: boolean; readonly next: string | undefined }) {
  if (passkeys) {
    return (
      <>
        <div className={styles.stack}>
          <h2>{t('account.noWayInBrowserTitle')}</h2>
          <p>{t('account.noWayInBrowserText')}</p>
        </div>
        <Help next={next} />
      </>
    );
  }
  return (
    <div className={styles.stack}>
      <h2>{t('account.noWayTitle')}</h2>
      <p>{t('account.noWayText')}</p>
      <OperatorSteps withPasskeys />
      <p className={styles.quiet}>
        {t('account.linkText')} {next !== undefined && <a href={next}>{t('account.linkThenContinue')}</a>}
      </p>
    </div>
  );
}
