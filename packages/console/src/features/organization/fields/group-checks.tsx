import { useQuery } from '@tanstack/react-query';
import { t } from '../../../i18n/language.js';
import { CheckList } from '../../../ui/controls/check-list.js';
import { groupsQuery } from '../lists.js';
import { useOrganization } from '../use-organization.js';

interface GroupChecksProps {
  readonly chosen: readonly string[];
  readonly onChange: (groups: readonly string[]) => void;
}

/** The groups of the organization, for those who may add people to groups. Nothing without any group. */
export function GroupChecks({ chosen, onChange }: GroupChecksProps) {
  const { orgSlug, may } = useOrganization();
  const { data } = useQuery(groupsQuery(orgSlug));
  if (!may('orgs:groups:manage') || data === undefined || data.total === 0) return null;
  return (
    <CheckList
      label={t('organization.groups')}
      choices={data.results.map(({ slug, name }) => ({ value: slug, label: name }))}
      chosen={chosen}
      onChange={onChange}
    />
  );
}
