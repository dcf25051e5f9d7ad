import { t } from '../../../i18n/language.js';
import { TextAreaField, TextField } from '../../../ui/controls/field.js';
import { type Named, NamedFields } from '../fields/named.js';
import { type GrantedRights, RightsFields } from '../fields/rights-fields.js';
import { dayOf, endOfDay, entriesOf } from '../fields/texts.js';
import type { OrgKey } from '../lists.js';

/** A key as its form has it. */
export interface KeyDraft {
  readonly named: Named;
  readonly rights: GrantedRights;
  /** `2026-12-31`; empty: it never expires. */
  readonly until: string;
  /** Addresses and ranges as text. */
  readonly ranges: string;
}

export const NEW_KEY: KeyDraft = {
  named: { name: '', slug: '' },
  rights: { permissions: [], scopes: [] },
  until: '',
  ranges: '',
};

export function draftOf({ name, slug, permissions, scopes, expiresAt, ipAllowList }: OrgKey): KeyDraft {
  return {
    named: { name, slug },
    rights: { permissions, scopes },
    until: dayOf(expiresAt),
    ranges: ipAllowList.join('\n'),
  };
}

/** The fields of a key as the service takes them. An end that was not changed keeps its time of day. */
export function sentOf({ named, rights, until, ranges }: KeyDraft, before: string | null = null) {
  return {
    name: named.name,
    permissions: [...rights.permissions],
    scopes: [...rights.scopes],
    expiresAt: until === dayOf(before) ? before : endOfDay(until),
    ipAllowList: entriesOf(ranges),
  };
}

interface KeyFieldsProps {
  readonly draft: KeyDraft;
  readonly onChange: (draft: KeyDraft) => void;
  readonly exists: boolean;
  /** False for keys whose rights cannot be changed: those of a collection. */
  readonly hasRights?: boolean;
}

export function KeyFields({ draft, onChange, exists, hasRights = true }: KeyFieldsProps) {
  return (
    <>
      <NamedFields value={draft.named} onChange={named => onChange({ ...draft, named })} exists={exists} />
      {hasRights && <RightsFields value={draft.rights} onChange={rights => onChange({ ...draft, rights })} />}
      <TextField
        label={t('organization.lastDay')}
        hint={t('organization.lastDayHint')}
        type="date"
        value={draft.until}
        onChange={until => onChange({ ...draft, until })}
      />
      <TextAreaField
        label={t('organization.ranges')}
        hint={t('organization.rangesHint')}
        rows={2}
        spellCheck={false}
        value={draft.ranges}
        onChange={next => onChange({ ...draft, ranges: next })}
      />
    </>
  );
}
