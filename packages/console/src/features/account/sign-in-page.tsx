import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { type Me, meQuery } from '../../api/session.js';
import { t } from '../../i18n/language.js';
import { Loading } from '../../ui/states/loading.js';
import { nameOf } from '../../values/person.js';
import { ChooseOrganization } from './entry/choose-organization.js';
import styles from './entry/entry.module.css';
import { EntryFrame } from './entry/entry-frame.js';
import { FailureNotice } from './entry/failure-notice.js';
import { SignedInAlready } from './entry/signed-in-already.js';
import { useEnter } from './entry/use-enter.js';
import { WaysToSignIn } from './entry/ways-to-sign-in.js';

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
