import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { titleOf } from '../../../ui/states/error-box.js';
import styles from './footer.module.css';

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
