import { type ComponentPropsWithRef, type ReactNode, useId } from 'react';
import styles from './field.module.css';

interface LabelProps {
  readonly label: string;
  /** A short explanation below the label. */
  readonly hint?: ReactNode;
  /** What the service or the form found wrong with the value. */
  readonly error?: string | undefined;
}

interface FieldProps extends LabelProps {
  readonly children: (control: {
    readonly id: string;
    readonly 'aria-describedby': string | undefined;
    readonly 'aria-invalid': boolean;
  }) => ReactNode;
}

/** A label, a control and what is wrong with its value, connected for screen readers. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const described = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`];
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      {hint !== undefined && (
        <div id={`${id}-hint`} className={styles.hint}>
          {hint}
        </div>
      )}
      {children({
        id,
        'aria-describedby': described.filter(Boolean).join(' ') || undefined,
        'aria-invalid': error !== undefined,
      })}
      {error !== undefined && (
        <div id={`${id}-error`} className={styles.error}>
          {error}
        </div>
      )}
    </div>
  );
}

/** A line of text. Give it the properties of `Field`, or an `aria-label`. */
export function Input({ className, ...rest }: ComponentPropsWithRef<'input'>) {
  return <input className={`${styles.input} ${className ?? ''}`} {...rest} />;
}

/** A native list of choices: it works with every keyboard, screen reader and phone. */
export function Select({ className, ...rest }: ComponentPropsWithRef<'select'>) {
  return <select className={`${styles.input} ${className ?? ''}`} {...rest} />;
}

interface ChoicesProps<T extends string> extends Omit<ComponentPropsWithRef<'select'>, 'value' | 'onChange'> {
  readonly choices: readonly T[];
  /** Default: the choice itself. */
  readonly textOf?: (choice: T) => string;
  readonly value: T;
  readonly onChange: (choice: T) => void;
}

/** A list of choices, each with its text. */
export function ChoiceList<T extends string>({ choices, textOf, onChange, ...select }: ChoicesProps<T>) {
  return (
    <Select {...select} onChange={({ target }) => onChange(target.value as T)}>
      {choices.map(choice => (
        <option key={choice} value={choice}>
          {textOf?.(choice) ?? choice}
        </option>
      ))}
    </Select>
  );
}

/** A labelled list of choices. */
export function ChoiceField<T extends string>({
  label,
  hint,
  error,
  ...choices
}: ChoicesProps<T> & LabelProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {control => <ChoiceList {...choices} {...control} />}
    </Field>
  );
}

export function TextArea({ className, ...rest }: ComponentPropsWithRef<'textarea'>) {
  return <textarea className={`${styles.input} ${styles.area} ${className ?? ''}`} {...rest} />;
}

interface TextFieldProps extends LabelProps, Omit<ComponentPropsWithRef<'input'>, 'value' | 'onChange'> {
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

interface TextAreaFieldProps
  extends LabelProps,
    Omit<ComponentPropsWithRef<'textarea'>, 'value' | 'onChange'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A labelled text of several lines. */
export function TextAreaField({ label, hint, error, onChange, ...area }: TextAreaFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {control => <TextArea {...area} {...control} onChange={({ target }) => onChange(target.value)} />}
    </Field>
  );
}

interface NumberFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly min: number;
  /** Undefined while it is not known. */
  readonly max: number | undefined;
  /** As it was typed. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A required number with a labelled line of its own. */
export function NumberField(props: NumberFieldProps) {
  return <TextField {...props} type="number" required />;
}
