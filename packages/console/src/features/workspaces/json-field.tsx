import { t } from '../../i18n/language.js';
import { Field, TextArea } from '../../ui/controls/field.js';
import { jsonObjectOf } from './rules/rule.js';

interface JsonFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A JSON object as text. Empty: there is none. */
export function JsonField({ label, hint, value, onChange }: JsonFieldProps) {
  const isWrong = value.trim() !== '' && jsonObjectOf(value) === undefined;
  return (
    <Field label={label} hint={hint} error={isWrong ? t('workspaces.notJson') : undefined}>
      {control => (
        <TextArea
          {...control}
          rows={2}
          spellCheck={false}
          value={value}
          onChange={event => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
