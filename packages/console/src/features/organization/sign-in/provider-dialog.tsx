import { useState } from 'react';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { Check } from '../../../ui/controls/check-list.js';
import { Code } from '../../../ui/controls/code.js';
import { TextAreaField, TextField } from '../../../ui/controls/field.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { NamedFields } from '../fields/named.js';
import { RoleSelect } from '../fields/role-select.js';
import type { Provider } from '../lists.js';
import styles from '../organization.module.css';
import { isForJoining } from '../rights.js';
import { useChange, useOrganization } from '../use-organization.js';
import { draftOf, ENDPOINTS, type ProviderDraft, redirectUriOf, sentOf } from './provider-draft.js';

interface ProviderDialogProps {
  /** The provider to change; undefined for a new one. */
  readonly provider?: Provider;
  readonly onClose: () => void;
}

/** How people sign in with an identity provider. The secret is stored encrypted, and never shown again. */
export function ProviderDialog({ provider, onClose }: ProviderDialogProps) {
  const { orgSlug } = useOrganization();
  const change = useChange();
  const [draft, setDraft] = useState(draftOf(provider));
  const set = (part: Partial<ProviderDraft>) => setDraft({ ...draft, ...part });
  const hasSecret = provider?.config.hasClientSecret ?? false;
  const send = () => {
    const sent = { orgSlug, ...sentOf(draft, provider) };
    return change(() =>
      provider === undefined
        ? api.signInProviders.createSsoProvider(sent)
        : api.signInProviders.replaceSsoProvider(sent),
    );
  };
  return (
    <FormDialog
      title={
        provider === undefined
          ? t('organization.newProvider')
          : t('organization.changeProviderTitle', { name: provider.name })
      }
      action={t('common.save')}
      onClose={onClose}
      send={send}
      shape="wide"
    >
      <NamedFields
        value={draft}
        onChange={set}
        exists={provider !== undefined}
        slugHint={t('organization.providerSlugHint')}
      />
      <div className={styles.stack}>
        <p className={styles.quiet}>{t('organization.callbackText')}</p>
        <Code label={t('organization.callback')} text={redirectUriOf(draft, provider)} />
      </div>
      <TextField
        label={t('organization.issuer')}
        hint={t('organization.issuerHint')}
        type="url"
        required
        value={draft.issuer}
        onChange={issuer => set({ issuer })}
      />
      <TextField
        label={t('organization.clientId')}
        required
        value={draft.clientId}
        onChange={clientId => set({ clientId })}
      />
      {!draft.withoutSecret && (
        <TextField
          label={t('organization.clientSecret')}
          hint={t(hasSecret ? 'organization.clientSecretKept' : 'organization.clientSecretHint')}
          type="password"
          autoComplete="new-password"
          value={draft.secret}
          onChange={secret => set({ secret })}
        />
      )}
      {hasSecret && (
        <Check
          label={t('organization.clientSecretRemove')}
          checked={draft.withoutSecret}
          onChange={withoutSecret => set({ withoutSecret, secret: '' })}
        />
      )}
      <TextAreaField
        label={t('organization.domains')}
        hint={t('organization.providerDomainsHint')}
        rows={2}
        spellCheck={false}
        value={draft.domains}
        onChange={next => set({ domains: next })}
      />
      <RoleSelect
        label={t('organization.providerRole')}
        value={draft.defaultRole}
        onChange={defaultRole => set({ defaultRole })}
        only={isForJoining}
        none={t('organization.providerRoleNone')}
      />
      <Check
        label={t('organization.providerEnabled')}
        checked={draft.enabled}
        onChange={enabled => set({ enabled })}
      />
      <AdvancedFields draft={draft} onChange={set} />
    </FormDialog>
  );
}

interface AdvancedFieldsProps {
  readonly draft: ProviderDraft;
  readonly onChange: (part: Partial<ProviderDraft>) => void;
}

const CLAIMS = [
  { field: 'email', label: 'organization.claimEmail' },
  { field: 'firstName', label: 'organization.claimFirstName' },
  { field: 'lastName', label: 'organization.claimLastName' },
] as const;

/** What most providers need no value for: scopes, endpoints that are not published, claims, the exchange of tokens. */
function AdvancedFields({ draft, onChange }: AdvancedFieldsProps) {
  const { endpoints, claims } = draft;
  return (
    <details>
      <summary>{t('organization.advanced')}</summary>
      <div className={styles.details}>
        <TextField
          label={t('organization.oauthScopes')}
          value={draft.scopes}
          onChange={scopes => onChange({ scopes })}
        />
        {ENDPOINTS.map(each => (
          <TextField
            key={each}
            label={each}
            hint={t('organization.endpointHint')}
            type="url"
            value={endpoints[each]}
            onChange={address => onChange({ endpoints: { ...endpoints, [each]: address } })}
          />
        ))}
        {CLAIMS.map(({ field, label }) => (
          <TextField
            key={field}
            label={t(label)}
            required
            maxLength={100}
            value={claims[field]}
            onChange={claim => onChange({ claims: { ...claims, [field]: claim } })}
          />
        ))}
        <Check
          label={t('organization.tokenExchange')}
          checked={draft.allowTokenExchange}
          onChange={allowTokenExchange => onChange({ allowTokenExchange })}
        />
      </div>
    </details>
  );
}
