import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import { type MessageKey, t } from '../../../i18n/language.js';
import { Section } from '../../../ui/data/section.js';
import { moment } from '../../../values/dates.js';
import { applicationsQuery, tokensQuery } from './queries.js';
import { ConfirmButton, Row, Rows } from './section.js';

const SCOPES: Readonly<Record<string, MessageKey>> = {
  platform: 'account.scopePlatform',
  'collections:read': 'account.scopeRead',
  'collections:write': 'account.scopeWrite',
  'collections:manage': 'account.scopeManage',
  'collections:create': 'account.scopeCreate',
  openid: 'account.scopeOpenid',
  profile: 'account.scopeProfile',
  email: 'account.scopeEmail',
  offline_access: 'account.scopeOffline',
};

/** What an application may do, in words. A scope without words stands for itself. */
function inWords(scopes: readonly string[]): string {
  const words = scopes.map(scope => (SCOPES[scope] === undefined ? scope : t(SCOPES[scope])));
  return words.length === 0 ? t('account.none') : words.join(', ');
}

/** The programs that may act for the person. */
export function Applications() {
  const query = useQuery(applicationsQuery);
  return (
    <Section title={t('account.applications')} text={t('account.applicationsText')}>
      <Rows label={t('account.applications')} query={query} empty={t('account.applicationsNone')}>
        {({ sessionId, name, own, scopes, createdAt, lastUsedAt }) => (
          <Row
            key={sessionId}
            name={name}
            badges={[own && t('account.applicationOwn')]}
            meta={[
              t('account.applicationMay', { scopes: inWords(scopes) }),
              t('account.created', { date: moment(createdAt) }),
              t('account.lastUsed', { date: moment(lastUsedAt) }),
            ]}
            actions={
              <ConfirmButton
                label={t('account.applicationEnd')}
                name={t('account.applicationEndOf', { name })}
                title={t('account.applicationEndTitle', { name })}
                texts={[t('account.applicationEndText')]}
                run={() => api.authentication.revokeSession({ id: sessionId })}
              />
            }
          />
        )}
      </Rows>
    </Section>
  );
}

/** The access tokens of the person, without the tokens themselves. */
export function Tokens() {
  const query = useQuery(tokensQuery);
  return (
    <Section title={t('account.tokens')} text={t('account.tokensText')}>
      <Rows label={t('account.tokens')} query={query} empty={t('account.tokensNone')}>
        {({ _id, name, prefix, createdAt, lastUsedAt, expiresAt }) => (
          <Row
            key={_id}
            name={name}
            meta={[
              `${prefix}…`,
              t('account.created', { date: moment(createdAt) }),
              lastUsedAt === null
                ? t('account.neverUsed')
                : t('account.lastUsed', { date: moment(lastUsedAt) }),
              t('account.expires', { date: moment(expiresAt) }),
            ]}
            actions={
              <ConfirmButton
                label={t('account.tokenRevoke')}
                name={t('account.tokenRevokeOf', { name })}
                title={t('account.tokenRevokeTitle', { name })}
                texts={[t('account.tokenRevokeText')]}
                run={() => api.authentication.revokeAccessToken({ id: _id })}
              />
            }
          />
        )}
      </Rows>
    </Section>
  );
}
