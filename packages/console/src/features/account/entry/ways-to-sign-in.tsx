import { useMutation, useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Field, Input } from '../../../ui/controls/field.js';
import { ErrorBox, Loading } from '../../../ui/states.js';
import { signInWithPasskey } from '../passkeys/ceremonies.js';
import { CeremonyProblem } from '../passkeys/ceremony-problem.js';
import { useOfferedPasskeys } from '../passkeys/use-offered-passkeys.js';
import styles from './entry.module.css';
import { canUsePasskeys, loginWaysQuery } from './login-ways.js';
import { Providers } from './providers.js';
import { HOME } from './use-enter.js';

/** Few installations sign in by e-mail. */
const EmailForm = lazy(async () => ({ default: (await import('./email-form.js')).EmailForm }));

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
  if (!passkeys && ways.providers.length === 0 && !ways.email && !isVisited)
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
      {ways.email && (
        <Suspense fallback={<Loading lines={2} />}>
          <EmailForm org={org} next={next ?? HOME} onSignedIn={onSignedIn} />
        </Suspense>
      )}
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

const SIGN_IN_COMMAND = 'npm run cli -- sign-in';

/** What to do with a sign-in link, without a way to sign in, and as the operator of the installation. */
function Help({ next }: { readonly next: string | undefined }) {
  return (
    <div className={styles.help}>
      <details>
        <summary>{t('account.linkTitle')}</summary>
        <p>
          {t('account.linkText')} {next !== undefined && <a href={next}>{t('account.linkThenContinue')}</a>}
        </p>
      </details>
      <details>
        <summary>{t('account.lostTitle')}</summary>
        <p>{t('account.lostText')}</p>
      </details>
      <details>
        <summary>{t('account.operatorTitle')}</summary>
        <OperatorSteps />
      </details>
    </div>
  );
}

/** What the operator of an installation can do so that people can sign in. */
function OperatorSteps({ withPasskeys = false }: { readonly withPasskeys?: boolean }) {
  return (
    <ul className={styles.points}>
      <li>
        {t('account.operatorLink')} <code>{SIGN_IN_COMMAND}</code>
      </li>
      <li>{t('account.operatorProvider')}</li>
      <li>{t(withPasskeys ? 'account.operatorPasskeys' : 'account.operatorInvite')}</li>
    </ul>
  );
}

/** Signs in with a passkey: by the button, or by the list that some browsers offer at a field. */
function PasskeyForm({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const inField = useOfferedPasskeys(onSignedIn);
  const signIn = useMutation({
    // The browser shows one prompt at a time, so that the list at the field ends first.
    mutationFn: () => inField.paused(() => signInWithPasskey()),
    onSuccess: onSignedIn,
  });
  const error = signIn.error ?? inField.error;
  return (
    <form
      className={styles.stack}
      onSubmit={event => {
        event.preventDefault();
        signIn.mutate();
      }}
    >
      {inField.isOffered && (
        <Field label={t('account.passkeyField')} hint={t('account.passkeyFieldHint')}>
          {control => (
            <Input
              {...control}
              name="username"
              autoComplete="username webauthn"
              autoCapitalize="none"
              spellCheck={false}
            />
          )}
        </Field>
      )}
      <Button
        type="submit"
        look="primary"
        className={styles.wide ?? ''}
        icon={<KeyRound size={18} aria-hidden />}
        disabled={signIn.isPending}
      >
        {t('account.signInWithPasskey')}
      </Button>
      {error !== null && <CeremonyProblem error={error} />}
    </form>
  );
}
