import { TextField } from './text-field.js';

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
