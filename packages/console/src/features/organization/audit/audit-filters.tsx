import { auditRoute } from '../../../api/routes.js';
import { t } from '../../../i18n/language.js';
import { ChoiceField, TextField } from '../../../ui/controls/field.js';
import styles from './audit.module.css';
import { kindName } from './event-name.js';
import type { AuditSearch } from './search.js';

/** The kinds of events to choose from. The address can name any other one. */
const CATEGORIES = [
  'collections',
  'collections.records',
  'collections.access',
  'orgs',
  'orgs.members',
  'orgs.invites',
  'orgs.roles',
  'orgs.groups',
  'orgs.apikeys',
  'orgs.serviceaccounts',
  'orgs.agents',
  'orgs.recoverylinks',
  'orgs.domains',
  'workspaces',
];

interface AuditFiltersProps {
  readonly search: AuditSearch;
  readonly actors: readonly { readonly id: string; readonly name: string }[];
}

/** Kind of event, who, and when. All of them are in the address. */
export function AuditFilters({ search, actors }: AuditFiltersProps) {
  const navigate = auditRoute.useNavigate();
  const set = (name: keyof AuditSearch, value: string) =>
    void navigate({ search: ({ [name]: _, ...rest }) => (value === '' ? rest : { ...rest, [name]: value }) });
  const { category = '', actor = '', since = '', until = '' } = search;
  const people = actors.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <div className={styles.filters}>
      <Choice
        label={t('organization.event')}
        all={t('organization.allEvents')}
        value={category}
        choices={CATEGORIES.map(each => ({ value: each, label: kindName(each) }))}
        onChange={value => set('category', value)}
      />
      <Choice
        label={t('organization.who')}
        all={t('organization.everybody')}
        value={actor}
        choices={people}
        onChange={value => set('actor', value)}
      />
      <TextField
        label={t('organization.since')}
        type="date"
        value={since}
        onChange={value => set('since', value)}
      />
      <TextField
        label={t('organization.until')}
        type="date"
        value={until}
        onChange={value => set('until', value)}
      />
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  /** The text of no choice. */
  readonly all: string;
  readonly value: string;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly onChange: (value: string) => void;
}

/** A list of choices, and the value of the address if it is another one. */
function Choice({ label, all, value, choices, onChange }: ChoiceProps) {
  return (
    <ChoiceField
      label={label}
      choices={[...new Set(['', value, ...choices.map(choice => choice.value)])]}
      textOf={each => choices.find(choice => choice.value === each)?.label ?? (each || all)}
      value={value}
      onChange={onChange}
    />
  );
}
