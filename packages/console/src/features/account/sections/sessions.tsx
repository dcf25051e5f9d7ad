import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { Section } from '../../../ui/data/section.js';
import { moment } from '../../../values/dates.js';
import { deviceName } from '../device-name.js';
import { sessionsQuery } from './queries.js';
import { ConfirmButton, Row, Rows } from './section.js';

/** The client id of sign-ins to the platform itself. Others are connected applications. */
const PLATFORM = 'platform';

/** Where the person is signed in. Each session can be ended, except this one: that is signing out. */
export function Sessions() {
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
