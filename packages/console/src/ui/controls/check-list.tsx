import styles from './check-list.module.css';

interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  /** True: the choice cannot be changed. */
  readonly fixed?: boolean;
}

interface CheckListProps<T extends string> {
  readonly label: string;
  readonly choices: readonly Choice<T>[];
  readonly chosen: readonly T[];
  readonly onChange: (chosen: readonly T[]) => void;
}

/** Choices of which any number can be chosen. */
export function CheckList<T extends string>({ label, choices, chosen, onChange }: CheckListProps<T>) {
  const toggle = (value: T) =>
    onChange(chosen.includes(value) ? chosen.filter(each => each !== value) : [...chosen, value]);
  return (
    <fieldset className={styles.list}>
      <legend className={styles.legend}>{label}</legend>
      {choices.map(({ value, label: text, fixed = false }) => (
        <Check
          key={value}
          label={text}
          checked={chosen.includes(value)}
          disabled={fixed}
          onChange={() => toggle(value)}
        />
      ))}
    </fieldset>
  );
}

interface CheckProps {
  readonly label: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean) => void;
}

/** One box to tick, with its label. */
export function Check({ label, checked, disabled = false, onChange }: CheckProps) {
  return (
    <label className={styles.check}>
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={event => onChange(event.target.checked)}
      />
      <span>{label}</span>
    </label>
  );
}
