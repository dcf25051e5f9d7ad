import { useId, useState } from 'react';
import { t } from '../../../i18n/language.js';
import { Input, Select } from '../../../ui/controls/field.js';
import { type Columns, SYSTEM_FIELDS } from '../../../values/field-types.js';
import styles from './builder.module.css';

interface FieldPickerProps {
  readonly field: string;
  readonly columns: Columns;
  /** Suggested names of fields without a column. */
  readonly fields: readonly string[];
  readonly onChange: (field: string) => void;
  /** Searches all text columns instead. */
  readonly onSearch: (() => void) | undefined;
}

const OTHER = 'other';
const SEARCH = 'search';

/** A list of the columns and of known fields. Any other field is typed. */
export function FieldPicker({ field, columns, fields, onChange, onSearch }: FieldPickerProps) {
  const id = useId();
  const isListed = Object.hasOwn(columns, field) || (field !== '' && Object.hasOwn(SYSTEM_FIELDS, field));
  // A name that is typed may be that of a column on the way to a longer one.
  const [typed, setTyped] = useState<string>();
  const types = typed === field || (!isListed && !fields.includes(field));
  const hasColumns = Object.keys(columns).length > 0;
  const type = (name: string) => {
    setTyped(name);
    onChange(name);
  };
  if (!hasColumns) return <NameInput field={field} listId={id} fields={fields} onChange={onChange} />;
  const choose = (value: string) => {
    setTyped(value === OTHER ? '' : undefined);
    if (value === SEARCH) onSearch?.();
    else onChange(value === OTHER ? '' : value.slice(1));
  };
  return (
    <>
      <Select
        aria-label={t('find.field')}
        className={styles.field}
        value={types ? OTHER : `=${field}`}
        onChange={event => choose(event.target.value)}
      >
        <optgroup label={t('find.columns')}>
          {Object.keys(columns).map(name => (
            <option key={name} value={`=${name}`}>
              {name}
            </option>
          ))}
        </optgroup>
        <optgroup label={t('find.systemFields')}>
          {Object.keys(SYSTEM_FIELDS).map(name => (
            <option key={name} value={`=${name}`}>
              {name}
            </option>
          ))}
          {onSearch !== undefined && <option value={SEARCH}>{t('find.anyText')}</option>}
        </optgroup>
        <optgroup label={t('find.otherFields')}>
          {(types || isListed || fields.includes(field) ? fields : [field, ...fields]).map(name => (
            <option key={name} value={`=${name}`}>
              {name}
            </option>
          ))}
          <option value={OTHER}>{t('find.otherField')}</option>
        </optgroup>
      </Select>
      {types && <NameInput field={field} listId={id} fields={fields} onChange={type} />}
    </>
  );
}

function NameInput({
  field,
  listId,
  fields,
  onChange,
}: {
  readonly field: string;
  readonly listId: string;
  readonly fields: readonly string[];
  readonly onChange: (field: string) => void;
}) {
  return (
    <>
      <Input
        aria-label={t('find.fieldName')}
        title={t('find.fieldNameHint')}
        placeholder={t('find.fieldName')}
        className={styles.field}
        list={listId}
        spellCheck={false}
        value={field}
        onChange={event => onChange(event.target.value)}
      />
      <datalist id={listId}>
        {fields.map(name => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
