import { t } from '../../../i18n/language.js';
import { Code } from '../../../ui/controls/code.js';
import { SecretOnce } from '../../../ui/controls/secret-once.js';
import type { Named } from '../fields/named.js';
import { useOrganization } from '../use-organization.js';

/** The secret of a service account, shown once, with the command that gets a token for it. */
export function ClientSecret({ name, slug, secret }: Named & { readonly secret: string }) {
  const { orgSlug } = useOrganization();
  const address = `${location.origin}/v2/orgs/${orgSlug}/service-accounts/${slug}/token`;
  const body = `'{"clientSecret": "'"$CLIENT_SECRET"'"}'`;
  return (
    <SecretOnce label={t('organization.secretOf', { name })} secret={secret}>
      <p>{t('organization.accountUse')}</p>
      <Code
        label={t('organization.command')}
        text={`curl ${address} \\\n  -H "content-type: application/json" -d ${body}`}
      />
    </SecretOnce>
  );
}
