import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { meQuery } from '../../api/session.js';
import { t } from '../../i18n/language.js';
import { Loading } from '../../ui/states/loading.js';
import styles from './entry/entry.module.css';
import { EntryFrame } from './entry/entry-frame.js';
import { LinkButton } from './entry/link-button.js';
import { HOME, useEnter } from './entry/use-enter.js';
import { signInAndReturn } from './join/addresses.js';
import { CodeForm } from './join/code-form.js';
import { JoinAsMember } from './join/join-as-member.js';
import { JoinAsNewcomer } from './join/join-as-newcomer.js';

const route = getRouteApi('/join');

/** The page of an invitation. */
export function JoinPage() {
  const { code } = route.useSearch();
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const enter = useEnter();
  const { data: me, isPending } = useQuery({ ...meQuery, staleTime: 0 });
  const [unusable, setUnusable] = useState<string>();

  if (code === undefined || code === '') {
    return (
      <EntryFrame title={t('account.joinTitle')}>
        <CodeForm onCode={entered => void navigate({ search: { code: entered } })} />
      </EntryFrame>
    );
  }
  if (unusable === code) {
    return (
      <EntryFrame title={t('account.joinUnusableTitle')}>
        <p role="alert">{t('account.joinUnusableText')}</p>
        <div className={styles.stack}>
          {me === undefined ? (
            <LinkButton look="primary" href={signInAndReturn(code)}>
              {t('common.signIn')}
            </LinkButton>
          ) : (
            <LinkButton look="primary" href={HOME}>
              {t('account.goToCollections')}
            </LinkButton>
          )}
          <LinkButton href="/console/join">{t('account.joinNoCode')}</LinkButton>
        </div>
      </EntryFrame>
    );
  }
  const handlers = { code, onJoined: () => enter(), onUnusable: () => setUnusable(code) };
  return (
    <EntryFrame title={t('account.joinTitle')}>
      {isPending ? (
        <Loading lines={4} />
      ) : me === undefined ? (
        <JoinAsNewcomer {...handlers} />
      ) : (
        <JoinAsMember {...handlers} me={me} onSignedOut={() => void queryClient.resetQueries(meQuery)} />
      )}
    </EntryFrame>
  );
}
