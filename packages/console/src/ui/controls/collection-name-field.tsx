import { t } from '../../i18n/language.js';
import { TextField } from './field.js';

interface CollectionNameFieldProps {
  readonly label?: string;
  readonly hint?: string;
  /** True when the service refused the name because another collection of the owner has it. */
  readonly isTaken?: boolean;
  readonly disabled?: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The name of a collection, in the form that the service accepts. */
export function CollectionNameField({
  label = t('collections.name'),
  hint = t('collections.nameHint'),
  isTaken = false,
  ...input
}: CollectionNameFieldProps) {
  return (
    <TextField
      label={label}
      hint={hint}
      error={isTaken ? t('collections.nameTaken') : undefined}
      required
      maxLength={64}
      pattern="[A-Za-z0-9_\-]+"
      {...input}
    />
  );
}
