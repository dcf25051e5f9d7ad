import { useQuery } from '@tanstack/react-query';
import { t } from '../../../i18n/language.js';
import { ChoiceField, TextField } from '../../../ui/controls/field.js';
import { fullName, nameOf } from '../../../values/names.js';
import { membersQuery } from '../lists.js';
import { useOrganization } from '../use-organization.js';

interface MemberPickerProps {
  readonly label: string;
  /** The id or the e-mail address of the member; empty: nobody is chosen. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Ids of members who are left out. */
  readonly without?: readonly string[];
  /** The text of no choice. Default: that somebody is to be chosen. */
  readonly none?: string;
  /** True: an address cannot stand for a member, so that only the first members can be chosen. */
  readonly idsOnly?: boolean;
}

/** Chooses a member from the list. An organization with more members than a page has gets a field for the address. */
export function MemberPicker({
  label,
  value,
  onChange,
  without = [],
  none = t('organization.chooseMember'),
  idsOnly = false,
}: MemberPickerProps) {
  const { orgSlug } = useOrganization();
  const { data } = useQuery(membersQuery(orgSlug));
  const members = data?.results ?? [];
  if (!idsOnly && data !== undefined && members.length < data.total) {
    return (
      <TextField
        label={label}
        hint={t('organization.memberAddressHint')}
        type="email"
        value={value}
        onChange={value => onChange(value.trim())}
      />
    );
  }
  return (
    <ChoiceField
      label={label}
      choices={['', ...members.map(({ userId }) => userId).filter(id => !without.includes(id))]}
      textOf={id => {
        const member = members.find(({ userId }) => userId === id);
        return member ? [fullName(member), member.email].filter(Boolean).join(', ') || nameOf(member) : none;
      }}
      value={value}
      onChange={onChange}
    />
  );
}
