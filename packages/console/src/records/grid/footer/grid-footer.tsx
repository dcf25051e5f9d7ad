import { useMutation } from '@tanstack/react-query';
import type { SortValue } from '@typed-collections/client';
import { ArrowDownToLine, ArrowUpToLine, RotateCw } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { t } from '../../../i18n/language.js';
import { Button, IconButton } from '../../../ui/controls/button.js';
import { Input } from '../../../ui/controls/field.js';
import { titleOf } from '../../../ui/states.js';
import { writtenLocale } from '../../../values/written-locale.js';
import { type WindowState } from '../../window/window-state.js';
import type { GridColumn } from '../columns/columns.js';
import styles from './footer.module.css';
import { jumpValue } from './jump-value.js';

interface GridFooterProps {
  readonly state: WindowState;
  readonly total: number | undefined;
  readonly onFirst: () => void;
  readonly onLast: () => void;
  readonly onRefresh: () => void;
  readonly count: ReactNode;
  readonly jump: ReactNode;
}

/** The row below the grid: how much is known, and the ways to other places of the list. */
export function GridFooter({ state, total, onFirst, onLast, onRefresh, count, jump }: GridFooterProps) {
  return (
    <div className={styles.footer}>
      <p role="status" className={styles.known}>
        {state.isOpening ? t('common.loading') : knownText(state, total)}
      </p>
      {!(state.atStart && state.atEnd) && count}
      <div className={styles.end}>
        {jump}
        <IconButton
          label={t('records.refresh')}
          icon={<RotateCw size={16} aria-hidden />}
          onClick={onRefresh}
        />
        <IconButton
          label={t('records.first')}
          icon={<ArrowUpToLine size={16} aria-hidden />}
          onClick={onFirst}
        />
        <IconButton
          label={t('records.last')}
          icon={<ArrowDownToLine size={16} aria-hidden />}
          onClick={onLast}
        />
      </div>
    </div>
  );
}

function knownText({ first, end, atStart, atEnd }: WindowState, total: number | undefined): string {
  if (atStart && atEnd) return t('records.countAll', { count: end - first });
  if (total !== undefined) return t('records.countAll', { count: total });
  return t('records.countLoaded', { count: end - first });
}

interface CountButtonProps {
  readonly total: number | undefined;
  readonly count: (signal: AbortSignal) => Promise<number>;
  readonly onCounted: (total: number) => void;
}

/** Counts the records when it is pressed, never before. Counting many records takes long, so it can be stopped. */
export function CountButton({ total, count, onCounted }: CountButtonProps) {
  const running = useRef<AbortController>(undefined);
  const counting = useMutation({
    mutationFn: async () => {
      running.current = new AbortController();
      return count(running.current.signal);
    },
    onSuccess: onCounted,
  });
  useEffect(() => () => running.current?.abort(), []);
  if (counting.isPending) {
    return (
      <Button look="plain" onClick={() => running.current?.abort(new Error('stopped'))}>
        {t('records.counting')}
      </Button>
    );
  }
  const isRefused = counting.error !== null && running.current?.signal.aborted !== true;
  return (
    <>
      {total === undefined && (
        <Button look="plain" onClick={() => counting.mutate()}>
          {t('records.count')}
        </Button>
      )}
      {isRefused && (
        <span role="alert" className={styles.problem}>
          {titleOf(counting.error)}
        </span>
      )}
    </>
  );
}

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
