import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { Section } from '../../../ui/data/section.js';
import { moment } from '../../../values/date-time.js';
import { ConfirmButton } from './confirm-button.js';
import { tokensQuery } from './queries.js';
import { Row, Rows } from './section.js';

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
