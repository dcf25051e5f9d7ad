import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { TcError } from '@typed-collections/client';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { type Me, meQuery } from '../../api/session.js';
import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { TextField } from '../../ui/controls/field.js';
import { ErrorBox, Loading } from '../../ui/states.js';
import { nameOf } from '../../values/names.js';
import { deviceName } from './device-name.js';
import styles from './entry/entry.module.css';
import { EntryFrame, LinkButton } from './entry/entry-frame.js';
import { canUsePasskeys, loginWaysQuery } from './entry/login-ways.js';
import { Providers } from './entry/providers.js';
import { HOME, useEnter } from './entry/use-enter.js';
import { joinWithPasskey } from './passkeys/ceremonies.js';
import { CeremonyProblem } from './passkeys/ceremony-problem.js';
import { endSession } from './sign-out.js';

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

/** For people whose link lost its code on the way. */
function CodeForm({ onCode }: { readonly onCode: (code: string) => void }) {
  const [code, setCode] = useState('');
  return (
    <form
      className={styles.stack}
      onSubmit={event => {
        event.preventDefault();
        onCode(code.trim());
      }}
    >
      <TextField
        label={t('account.joinCode')}
        hint={t('account.joinNoCode')}
        spellCheck={false}
        required
        value={code}
        onChange={setCode}
      />
      <Button type="submit" look="primary" className={styles.wide ?? ''} disabled={code.trim() === ''}>
        {t('account.goOn')}
      </Button>
    </form>
  );
}

interface JoinAsMemberProps {
  readonly me: Me;
  readonly code: string;
  readonly onJoined: () => void;
  readonly onUnusable: () => void;
  readonly onSignedOut: () => void;
}

/** For a person who is signed in: join with this account. The new organization becomes the active one. */
function JoinAsMember({ me, code, onJoined, onUnusable, onSignedOut }: JoinAsMemberProps) {
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

interface JoinAsNewcomerProps {
  readonly code: string;
  readonly onJoined: () => void;
  readonly onUnusable: () => void;
}

/** For a person who is not signed in: make an account with a passkey, or sign in and return to this page. */
function JoinAsNewcomer({ code, ...handlers }: JoinAsNewcomerProps) {
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

interface JoinFormProps {
  readonly code: string;
  readonly onJoined: () => void;
  readonly onUnusable: () => void;
}

/** A new person gives a name and makes a passkey. */
function JoinForm({ code, onJoined, onUnusable }: JoinFormProps) {
  const [name, setName] = useState('');
  const [isMissing, setMissing] = useState(false);
  const join = useMutation({
    mutationFn: () => joinWithPasskey(code, name.trim(), deviceName(navigator.userAgent)),
    onSuccess: onJoined,
    onError: error => isUnusable(error) && onUnusable(),
  });
  return (
    <form
      className={styles.stack}
      noValidate
      onSubmit={event => {
        event.preventDefault();
        setMissing(name.trim() === '');
        if (name.trim() !== '') join.mutate();
      }}
    >
      <TextField
        label={t('account.joinName')}
        hint={t('account.joinNameHint')}
        error={isMissing ? t('account.joinNameMissing') : undefined}
        name="name"
        autoComplete="name"
        maxLength={200}
        required
        value={name}
        onChange={value => {
          setName(value);
          setMissing(false);
        }}
      />
      <Button
        type="submit"
        look="primary"
        className={styles.wide ?? ''}
        icon={<KeyRound size={18} aria-hidden />}
        disabled={join.isPending}
      >
        {t('account.joinWithPasskey')}
      </Button>
      {join.error !== null && !isUnusable(join.error) && <CeremonyProblem error={join.error} />}
    </form>
  );
}

/** True for the refusal of every invitation that cannot be used. The service does not say why. */
function isUnusable(error: unknown): boolean {
  return error instanceof TcError && error.status === 404;
}

/** The address of this page with the code of an invitation. */
function joinAddress(code: string): string {
  return `/console/join?${new URLSearchParams({ code })}`;
}

/** The address of the sign-in page that then redirects to the invitation. */
function signInAndReturn(code: string): string {
  return `/console/sign-in?${new URLSearchParams({ next: joinAddress(code) })}`;
}
