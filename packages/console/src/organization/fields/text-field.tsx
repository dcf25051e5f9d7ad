import type { ComponentPropsWithRef, ReactNode } from 'react';
import { Field, Input } from '../../ui/controls/field.js';

interface TextFieldProps extends Omit<ComponentPropsWithRef<'input'>, 'value' | 'onChange'> {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A labelled line of text. */
export function TextField({ label, hint, onChange, ...input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {control => (
        <Input autoComplete="off" {...input} {...control} onChange={event => onChange(event.target.value)} />
      )}
    </Field>
  );
}
