import { t } from '../../../i18n/language.js';
import { Check } from '../../../ui/controls/check-list.js';
import { TextField } from '../../../ui/controls/text-field.js';
import styles from '../organization.module.css';
import { ENDPOINTS, type ProviderDraft } from './provider-draft.js';

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
export function AdvancedFields({ draft, onChange }: AdvancedFieldsProps) {
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
