import { useQuery } from '@tanstack/react-query';
import { t } from '../../../i18n/language.js';
import { ErrorBox } from '../../../ui/states/error-box.js';
import { Loading } from '../../../ui/states/loading.js';
import styles from '../entry/entry.module.css';
import { LinkButton } from '../entry/link-button.js';
import { canUsePasskeys, loginWaysQuery } from '../entry/login-ways.js';
import { Providers } from '../entry/providers.js';
import { joinAddress, signInAndReturn } from './addresses.js';
import { JoinForm } from './join-form.js';

interface JoinAsNewcomerProps {
  readonly code: string;
  readonly onJoined: () => void;
  readonly onUnusable: () => void;
}

/** For a person who is not signed in: make an account with a passkey, or sign in and return to this page. */
export function JoinAsNewcomer({ code, ...handlers }: JoinAsNewcomerProps) {
  const { data: ways, error, refetch } = useQuery(loginWaysQuery());
  if (error !== null) return <ErrorBox error={error} onRetry={() => void refetch()} />;
  if (ways === undefined) return <Loading lines={4} />;
  const passkeys = canUsePasskeys(ways);
  const hasProviders = ways.providers.length > 0;
  return (
    <>
      {passkeys ? (
        <>
          <p>{t('account.joinText')}</p>
          <JoinForm code={code} {...handlers} />
        </>
      ) : (
        <p>{t(ways.passkeys ? 'account.noPasskeysInBrowser' : 'account.passkeysOff')}</p>
      )}
      {hasProviders && (
        <div className={styles.stack}>
          <p className={styles.quiet}>{t('account.joinWithProvider')}</p>
          <Providers ways={ways} next={joinAddress(code)} />
        </div>
      )}
      {!passkeys && !hasProviders && <p>{t('account.joinNoWayText')}</p>}
      {passkeys && <LinkButton href={signInAndReturn(code)}>{t('account.joinSignIn')}</LinkButton>}
    </>
  );
}
