import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { type Me, meQuery } from '../../api/session.js';
import { hasMessage, t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { ErrorBox, Loading } from '../../ui/states.js';
import { nameOf } from '../../values/names.js';
import styles from './entry/entry.module.css';
import { EntryFrame } from './entry/entry-frame.js';
import { useEnter } from './entry/use-enter.js';
import { WaysToSignIn } from './entry/ways-to-sign-in.js';
import type { FailedWay } from './search.js';
import { endSession } from './sign-out.js';

const route = getRouteApi('/sign-in');

/** The page where people sign in, from the console, a failed sign-in or an application that asks for access. */
export function SignInPage() {
  const { next, org, again, failed, error } = route.useSearch();
  const queryClient = useQueryClient();
  const enter = useEnter();
  const { data: me, isPending } = useQuery({ ...meQuery, staleTime: 0 });
  const [choosing, setChoosing] = useState<Me>();

  const signedIn = async () => {
    queryClient.clear();
    const now = await queryClient.fetchQuery(meQuery);
    if (now.organizations.length > 1) setChoosing(now);
    else enter(next);
  };

  if (choosing !== undefined) {
    return (
      <EntryFrame title={t('account.chooseOrganization')}>
        <ChooseOrganization me={choosing} onChosen={() => enter(next)} />
      </EntryFrame>
    );
  }
  const isForApplication = next?.startsWith('/oidc/') === true;
  return (
    <EntryFrame title={t(isForApplication ? 'common.signIn' : 'account.signInTo')}>
      {failed !== undefined && <FailureNotice failed={failed} error={error} />}
      {isForApplication && <p>{t('account.signInForApplication')}</p>}
      {again && me !== undefined && (
        <p className={styles.quiet}>{t('account.signedInAgain', { name: nameOf(me) })}</p>
      )}
      {isPending ? (
        <Loading lines={4} />
      ) : me === undefined || again ? (
        <WaysToSignIn next={next} org={org} onSignedIn={() => void signedIn()} />
      ) : (
        <SignedInAlready me={me} next={next} onSignedOut={() => void queryClient.resetQueries(meQuery)} />
      )}
    </EntryFrame>
  );
}

interface ChooseOrganizationProps {
  readonly me: Me;
  readonly onChosen: () => void;
}

/** A person who has just signed in and belongs to several organizations says in which one to work. */
function ChooseOrganization({ me, onChosen }: ChooseOrganizationProps) {
  const choose = useMutation({
    mutationFn: (orgSlug: string) => api.authentication.switchOrg({ orgSlug }),
    onSuccess: onChosen,
  });
  return (
    <div className={styles.stack}>
      <p className={styles.quiet}>{t('account.chooseOrganizationText')}</p>
      <ul className={styles.list} aria-label={t('account.chooseOrganization')}>
        {me.organizations.map(({ slug, name }) => (
          <li key={slug}>
            <Button
              className={styles.wide ?? ''}
              disabled={choose.isPending}
              onClick={() => choose.mutate(slug)}
            >
              {name}
            </Button>
          </li>
        ))}
      </ul>
      {choose.error !== null && <ErrorBox error={choose.error} />}
    </div>
  );
}

/** Why a sign-in link or a sign-in at a provider failed before the browser came here. */
function FailureNotice({
  failed,
  error = '',
}: {
  readonly failed: FailedWay;
  readonly error?: string | undefined;
}) {
  return (
    <div role="alert" className={styles.notice}>
      <p className={styles.noticeTitle}>
        {t(failed === 'link' ? 'account.failedLink' : 'account.failedProvider')}
      </p>
      <p>{textOf(failed, error)}</p>
    </div>
  );
}

function textOf(failed: FailedWay, error: string): string {
  if (failed === 'link' && error !== 'TooManyRequests') {
    return t(error === 'Unauthorized' ? 'account.failedLinkUnauthorized' : 'account.failedLinkOther');
  }
  const key = `account.failed${error}`;
  const known = hasMessage(key) && CODES.includes(error);
  return t(known ? key : 'account.failedOther');
}

/** The codes that have a text of their own. */
const CODES = [
  'InvalidArguments',
  'Forbidden',
  'OrganizationRequired',
  'NotFound',
  'Unavailable',
  'TooManyRequests',
];

interface SignedInAlreadyProps {
  readonly me: Me;
  readonly next: string | undefined;
  readonly onSignedOut: () => void;
}

/** For a person who is signed in already: continue, or sign out to use another account. */
function SignedInAlready({ me, next, onSignedOut }: SignedInAlreadyProps) {
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
