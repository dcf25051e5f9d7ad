import { useMutation } from '@tanstack/react-query';
import type { SortValue } from '@typed-collections/client';
import { type FormEvent, useId, useState } from 'react';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Input } from '../../../ui/controls/field.js';
import { titleOf } from '../../../ui/states/error-box.js';
import { writtenLocale } from '../../../values/written-locale.js';
import type { GridColumn } from '../columns/columns.js';
import styles from './footer.module.css';
import { jumpValue } from './jump-value.js';

interface JumpFieldProps {
  /** The one column that the records are sorted by. */
  readonly column: GridColumn;
  readonly onJump: (value: SortValue) => Promise<void>;
}

/** Goes to the first record whose value of the sorted column is not before the one that is typed. */
export function JumpField({ column, onJump }: JumpFieldProps) {
  const id = useId();
  const [text, setText] = useState('');
  const jump = useMutation({ mutationFn: onJump });
  const [isWrong, setWrong] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const value = jumpValue(text, column.type, writtenLocale());
    setWrong(value === undefined);
    if (value === undefined) jump.reset();
    else jump.mutate(value);
  };
  const problem = isWrong
    ? t('records.jumpWrong', { type: t(`records.type_${column.type}`) })
    : jump.error === null
      ? undefined
      : `${titleOf(jump.error)}: ${jump.error.message}`;
  return (
    <form className={styles.jump} onSubmit={submit}>
      <Input
        aria-label={t('records.jumpTo', { name: column.name })}
        placeholder={t('records.jumpTo', { name: column.name })}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        value={text}
        onChange={event => setText(event.target.value)}
        className={styles.jumpInput}
      />
      <Button type="submit" disabled={text.trim() === '' || jump.isPending}>
        {t('records.jump')}
      </Button>
      {problem !== undefined && (
        <span id={`${id}-problem`} role="alert" className={styles.problem}>
          {problem}
        </span>
      )}
    </form>
  );
}
