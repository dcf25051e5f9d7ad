import { t } from '../../../i18n/language.js';
import { Code } from '../../../ui/controls/code.js';
import { SecretOnce } from '../../../ui/controls/secret-once.js';

/** The secret of a key, shown once, with a command that uses it. */
export function KeySecret({ name, secret }: { readonly name: string; readonly secret: string }) {
  return (
    <SecretOnce label={t('organization.secretOf', { name })} secret={secret}>
      <p>{t('organization.keyUse')}</p>
      <Code
        label={t('organization.command')}
        text={`curl -H "x-platform-api-key: $TC_KEY" ${location.origin}/v1/collections`}
      />
    </SecretOnce>
  );
}
