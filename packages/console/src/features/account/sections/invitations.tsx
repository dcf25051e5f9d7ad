import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Section } from '../../../ui/data/section.js';
import { ErrorBox } from '../../../ui/states.js';
import { moment } from '../../../values/dates.js';
import { invitationsQuery } from './queries.js';
import { ConfirmButton, Row, Rows } from './section.js';

/** The invitations of the person who is signed in. Renders nothing if there are none. */
export function Invitations() {
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
