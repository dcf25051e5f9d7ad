import type { ComponentPropsWithRef, ReactNode } from 'react';
import { Field, Input } from './field.js';

interface TextFieldProps extends Omit<ComponentPropsWithRef<'input'>, 'value' | 'onChange'> {
  readonly label: string;
  readonly hint?: ReactNode;
  /** What the service or the form found wrong with the value. */
  readonly error?: string | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A labelled line of text. */
export function TextField({ label, hint, error, onChange, ...input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {control => (
        <Input autoComplete="off" {...input} {...control} onChange={event => onChange(event.target.value)} />
      )}
    </Field>
  );
}
