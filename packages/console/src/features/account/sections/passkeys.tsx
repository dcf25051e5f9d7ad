import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import type { Me } from '../../../api/session.js';
import { t } from '../../../i18n/language.js';
import { Section } from '../../../ui/data/section.js';
import { moment } from '../../../values/date-time.js';
import { AddPasskey } from '../passkeys/add-passkey.js';
import { RenamePasskey } from '../passkeys/rename-passkey.js';
import { hasWebAuthn } from '../passkeys/webauthn.js';
import { ConfirmButton } from './confirm-button.js';
import { passkeysQuery } from './queries.js';
import { Row, Rows } from './section.js';

/** The passkeys of the person. */
export function Passkeys({ me }: { readonly me: Me }) {
  const query = useQuery(passkeysQuery);
  const isLast = query.data?.total === 1;
  return (
    <Section
      title={t('account.passkeys')}
      text={t(hasWebAuthn() ? 'account.passkeysText' : 'account.noPasskeysInBrowser')}
      actions={hasWebAuthn() && <AddPasskey me={me} hasPasskeys={(query.data?.total ?? 0) > 0} />}
    >
      <Rows label={t('account.passkeys')} query={query} empty={t('account.passkeysNone')}>
        {({ id, name, created_at, last_used_at }) => (
          <Row
            key={id}
            name={name}
            meta={[
              t('account.created', { date: moment(created_at) }),
              last_used_at === null
                ? t('account.neverUsed')
                : t('account.lastUsed', { date: moment(last_used_at) }),
            ]}
            actions={
              <>
                <RenamePasskey id={id} name={name} />
                <ConfirmButton
                  label={t('account.passkeyDelete')}
                  name={t('account.passkeyDeleteOf', { name })}
                  title={t('account.passkeyDeleteTitle', { name })}
                  texts={[t('account.passkeyDeleteText'), isLast && t('account.passkeyDeleteLast')]}
                  run={() => api.authentication.deletePasskey({ id })}
                />
              </>
            }
          />
        )}
      </Rows>
    </Section>
  );
}
