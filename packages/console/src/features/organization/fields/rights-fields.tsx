import { useState } from 'react';
import { isAllowed } from '../../../api/permissions.js';
import { t } from '../../../i18n/language.js';
import { Check, CheckList } from '../../../ui/controls/check-list.js';
import { TextAreaField } from '../../../ui/controls/field.js';
import styles from '../organization.module.css';
import { useOrganization } from '../use-organization.js';
import { isImplied, othersAmong, PRODUCTS } from './permissions.js';
import { entriesOf } from './texts.js';

export interface GrantedRights {
  readonly permissions: readonly string[];
  readonly scopes: readonly string[];
}

interface RightsFieldsProps {
  readonly value: GrantedRights;
  readonly onChange: (value: GrantedRights) => void;
  /** False for permissions that the person cannot give here although they hold them. */
  readonly isOffered?: (permission: string) => boolean;
  /** Why permissions are missing, if some are. */
  readonly text?: string;
}

/** What a role, a key or a service account may do, and with which resources. Offers only what the person holds. */
export function RightsFields({ value, onChange, isOffered: offers, text }: RightsFieldsProps) {
  const { me } = useOrganization();
  const { permissions, scopes } = value;
  const isOffered = (each: string) =>
    permissions.includes(each) || (isAllowed(me, each) && (offers?.(each) ?? true));
  const set = (next: readonly string[]) => onChange({ permissions: next, scopes });
  const everything = permissions.includes('*');
  return (
    <>
      {text !== undefined && <p className={styles.quiet}>{text}</p>}
      {isOffered('*') && (
        <Check
          label={t('organization.everything')}
          checked={everything}
          onChange={checked => set(checked ? ['*'] : permissions.filter(each => each !== '*'))}
        />
      )}
      {!everything &&
        PRODUCTS.map(({ product, title, permissions: known }) => (
          <ProductPermissions
            key={product}
            title={t(title)}
            choices={[
              ...(isOffered(`${product}:*`)
                ? [{ value: `${product}:*`, label: t('organization.everythingOf', { product: t(title) }) }]
                : []),
              ...Object.entries(known)
                .filter(([permission]) => isOffered(permission))
                .map(([permission, text]) => ({ value: permission, label: t(text) })),
            ]}
            chosen={permissions}
            onChange={set}
          />
        ))}
      {!everything && (
        <Entries
          label={t('organization.otherPermissions')}
          hint={t('organization.otherPermissionsHint')}
          entries={othersAmong(permissions)}
          onChange={others =>
            set([...permissions.filter(each => !othersAmong([each]).includes(each)), ...others])
          }
        />
      )}
      <Entries
        label={t('organization.scopes')}
        hint={t('organization.scopesHint')}
        entries={scopes}
        onChange={next => onChange({ permissions, scopes: next })}
      />
    </>
  );
}

interface ProductPermissionsProps {
  readonly title: string;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** The boxes of one product. Those that another permission implies are ticked and fixed. */
function ProductPermissions({ title, choices, chosen, onChange }: ProductPermissionsProps) {
  if (choices.length === 0) return null;
  const implied = choices.map(({ value }) => value).filter(value => isImplied(chosen, value));
  return (
    <CheckList
      label={title}
      choices={choices.map(choice => ({ ...choice, fixed: implied.includes(choice.value) }))}
      chosen={[...chosen, ...implied]}
      onChange={next => onChange(next.filter(each => !implied.includes(each)))}
    />
  );
}

interface EntriesProps {
  readonly label: string;
  readonly hint: string;
  readonly entries: readonly string[];
  readonly onChange: (entries: readonly string[]) => void;
}

/** A list as text, one entry a line. What is typed stays as it is while it is typed. */
function Entries({ label, hint, entries, onChange }: EntriesProps) {
  const [text, setText] = useState(entries.join('\n'));
  return (
    <TextAreaField
      label={label}
      hint={hint}
      rows={2}
      spellCheck={false}
      value={text}
      onChange={next => {
        setText(next);
        onChange(entriesOf(next));
      }}
    />
  );
}
