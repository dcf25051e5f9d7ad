import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { featuresQuery, type Me, meQuery } from '../../api/session.js';
import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { Section } from '../../ui/data/section.js';
import { ErrorBox, Loading } from '../../ui/states.js';
import { moment } from '../../values/dates.js';
import { fullName } from '../../values/names.js';
import { deviceName } from './device-name.js';
import { Passkeys } from './sections/passkeys.js';
import { Applications, Tokens } from './sections/programs.js';
import { invitationsQuery, sessionsQuery } from './sections/queries.js';
import { ConfirmButton, Row, Rows } from './sections/section.js';
import styles from './sections/section.module.css';

/** Who is signed in, and everything that can act as this person. */
export function AccountPage() {
  const { data: me, error, refetch } = useQuery(meQuery);
  const { data: features } = useQuery(featuresQuery);
  return (
    <div className={styles.page}>
      <h1>{t('account.title')}</h1>
      {me === undefined ? (
        error === null ? (
          <Loading />
        ) : (
          <ErrorBox error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <>
          <Invitations />
          <Profile me={me} />
          {features?.passkeys && <Passkeys me={me} />}
          <Sessions />
          <Applications />
          <Tokens />
        </>
      )}
    </div>
  );
}

/** Who is signed in, and the organizations with their roles. */
function Profile({ me }: { readonly me: Me }) {
  return (
    <Section title={t('account.profile')}>
      <dl className={styles.facts}>
        <dt>{t('account.profileName')}</dt>
        <dd>{fullName(me) || t('account.none')}</dd>
        <dt>{t('account.profileEmail')}</dt>
        <dd>{me.email ?? t('account.none')}</dd>
        <dt>{t('account.profileOrganizations')}</dt>
        <dd>
          {me.organizations.length === 0 ? t('account.profileNoOrganization') : <Organizations me={me} />}
        </dd>
      </dl>
    </Section>
  );
}

function Organizations({ me }: { readonly me: Me }) {
  return (
    <ul>
      {me.organizations.map(({ slug, name, roleSlug }) => (
        <li key={slug}>
          <span className={styles.name}>
            {name}
            {slug === me.org?.slug && <span className={styles.badge}>{t('account.activeOrganization')}</span>}
          </span>
          {roleSlug !== null && <span className={styles.text}>{t('account.role', { role: roleSlug })}</span>}
        </li>
      ))}
    </ul>
  );
}

/** The invitations of the person who is signed in. Renders nothing if there are none. */
function Invitations() {
  const query = useQuery(invitationsQuery);
  if (query.data?.total === 0) return null;
  return (
    <Section title={t('account.invitations')}>
      <Rows label={t('account.invitations')} query={query} empty="">
        {({ id, orgName, roleSlug, expiresAt }) => (
          <Row
            key={id}
            name={t('account.invitationTo', { org: orgName })}
            meta={[
              t('account.role', { role: roleSlug }),
              expiresAt !== null && t('account.expires', { date: moment(expiresAt) }),
            ]}
            actions={
              <>
                <Accept id={id} />
                <ConfirmButton
                  label={t('account.decline')}
                  title={t('account.declineTitle', { org: orgName })}
                  texts={[t('account.declineText')]}
                  run={() => api.organizations.declineInvitation({ id })}
                />
              </>
            }
          />
        )}
      </Rows>
    </Section>
  );
}

function Accept({ id }: { readonly id: string }) {
  const queryClient = useQueryClient();
  const accept = useMutation({
    mutationFn: () => api.organizations.acceptInvitation({ id }),
    // A new organization changes what every page shows.
    onSuccess: () => queryClient.invalidateQueries(),
  });
  return (
    <>
      <Button look="primary" disabled={accept.isPending} onClick={() => accept.mutate()}>
        {t('account.accept')}
      </Button>
      {accept.error !== null && <ErrorBox error={accept.error} />}
    </>
  );
}

/** The client id of sign-ins to the platform itself. Others are connected applications. */
const PLATFORM = 'platform';

/** Where the person is signed in. Each session can be ended, except this one: that is signing out. */
function Sessions() {
  const query = useQuery({
    ...sessionsQuery,
    select: ({ results, total }) => {
      const own = results.filter(({ clientId }) => clientId === PLATFORM);
      return { results: own, total: total - (results.length - own.length) };
    },
  });
  const hasOthers = (query.data?.results ?? []).some(({ current }) => !current);
  return (
    <Section
      title={t('account.sessions')}
      text={t('account.sessionsText')}
      actions={
        hasOthers && (
          <ConfirmButton
            label={t('account.sessionsEndOthers')}
            title={t('account.sessionsEndOthersTitle')}
            texts={[t('account.sessionsEndOthersText')]}
            run={() => api.authentication.revokeOtherSessions()}
          />
        )
      }
    >
      <Rows label={t('account.sessions')} query={query} empty="">
        {({ id, current, userAgent, ip, createdAt, lastUsedAt }) => {
          const name = deviceName(userAgent) || t('account.sessionUnknown');
          return (
            <Row
              key={id}
              name={name}
              badges={[current && t('account.sessionThis')]}
              meta={[
                ip !== null && t('account.from', { ip }),
                t('account.created', { date: moment(createdAt) }),
                t('account.lastUsed', { date: moment(lastUsedAt) }),
              ]}
              actions={
                current ? undefined : (
                  <ConfirmButton
                    label={t('account.sessionEnd')}
                    name={t('account.sessionEndOf', { name })}
                    title={t('account.sessionEndTitle', { name })}
                    texts={[t('account.sessionEndText')]}
                    run={() => api.authentication.revokeSession({ id })}
                  />
                )
              }
            />
          );
        }}
      </Rows>
    </Section>
  );
}
