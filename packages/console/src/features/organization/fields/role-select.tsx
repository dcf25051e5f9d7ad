import { useQuery } from '@tanstack/react-query';
import { Field, Select } from '../../../ui/controls/field.js';
import { ErrorBox } from '../../../ui/states.js';
import { type Role, rolesQuery } from '../lists.js';
import { mayGiveRole } from '../rights.js';
import { useOrganization } from '../use-organization.js';

interface RoleSelectProps {
  readonly label: string;
  readonly hint?: string;
  /** Slug of the role; empty: none is chosen. */
  readonly value: string;
  readonly onChange: (slug: string) => void;
  /** Leaves roles out. */
  readonly only?: (role: Role) => boolean;
  /** The text of a choice without a role. */
  readonly none?: string;
}

/** The roles that the person may give. The role at hand is shown in any case. */
export function RoleSelect({ label, hint, value, onChange, only = () => true, none }: RoleSelectProps) {
  const { me, orgSlug } = useOrganization();
  const { data, error } = useQuery(rolesQuery(orgSlug));
  const offered = (data?.results ?? []).filter(
    role => role.slug === value || (mayGiveRole(me, role) && only(role)),
  );
  return (
    <>
      <Field label={label} hint={hint}>
        {control => (
          <Select {...control} value={value} onChange={event => onChange(event.target.value)}>
            {none !== undefined && <option value="">{none}</option>}
            {data === undefined && value !== '' && <option value={value}>{value}</option>}
            {offered.map(({ slug, name }) => (
              <option key={slug} value={slug}>
                {name === slug ? slug : `${name} (${slug})`}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {error !== null && <ErrorBox error={error} />}
    </>
  );
}
