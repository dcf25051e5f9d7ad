import { t } from '../../i18n/language.js';
import { TextAreaField } from '../../ui/controls/field.js';
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
    <TextAreaField
      label={label}
      hint={hint}
      error={isWrong ? t('workspaces.notJson') : undefined}
      rows={2}
      spellCheck={false}
      value={value}
      onChange={onChange}
    />
  );
}
