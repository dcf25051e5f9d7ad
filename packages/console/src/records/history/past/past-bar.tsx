import { History } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Input } from '../../../ui/controls/field.js';
import { useDebounced } from '../../../ui/hooks.js';
import { moment } from '../../../values/dates.js';
import { beginOf, earliestIn, instantOf, keptTime, localText, stepOf } from './kept-time.js';
import styles from './past.module.css';

interface PastBarProps {
  readonly info: CollectionInfo;
  /** The instant of the address. */
  readonly asOf: string;
  /** What the page shows. */
  readonly text: string;
  /** Why the records of that instant cannot be shown. */
  readonly error: unknown;
  /** Shows another instant, or the present. With `replace`, going back leaves out the instant before. */
  readonly onShow: (instant: string | undefined, replace: boolean) => void;
}

/** The bar above records of the past: the instant that is shown, with controls to choose another one. */
export function PastBar({ info, asOf, text, error, onShow }: PastBarProps) {
  const [openedAt] = useState(Date.now);
  const [chosen, setChosen] = useState(asOf);
  const settled = useDebounced(chosen);
  const kept = keptTime(info, openedAt);
  const earliest = earliestIn(error);
  // The address may change by other ways: back, a link, a version of a record.
  useEffect(() => setChosen(asOf), [asOf]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what somebody has chosen changes the address
  useEffect(() => {
    if (settled !== asOf && settled === chosen) onShow(settled, true);
  }, [settled]);
  return (
    <section aria-label={t('history.past')} className={styles.bar}>
      <p role="status" className={styles.text}>
        {text}
      </p>
      {kept !== undefined && (
        <input
          type="range"
          aria-label={t('history.slider')}
          aria-valuetext={moment(chosen)}
          className={styles.slider}
          min={kept.from}
          max={kept.to}
          step={stepOf(kept)}
          value={Date.parse(chosen)}
          onChange={({ target }) => setChosen(new Date(Number(target.value)).toISOString())}
        />
      )}
      <Input
        type="datetime-local"
        step={1}
        aria-label={t('history.instant')}
        className={styles.instant}
        value={localText(chosen)}
        onChange={({ target }) => {
          const instant = instantOf(target.value);
          if (instant !== undefined) setChosen(instant);
        }}
      />
      {earliest !== undefined && (
        <Button onClick={() => onShow(earliest, false)}>
          {t('history.earliest', { date: moment(earliest) })}
        </Button>
      )}
      <Button look="primary" onClick={() => onShow(undefined, false)}>
        {t('history.backToNow')}
      </Button>
    </section>
  );
}

interface PastButtonProps {
  readonly info: CollectionInfo;
  /** The instant of the address; undefined for now. */
  readonly asOf: string | undefined;
  /** Shows an instant, or the present. */
  readonly onShow: (instant: string | undefined) => void;
}

/** Shows the records as they were, or as they are. Not there for collections that keep no history. */
export function PastButton({ info, asOf, onShow }: PastButtonProps) {
  if (info.settings.history_days === 0) return null;
  const toggle = () => {
    const kept = keptTime(info, Date.now());
    onShow(asOf === undefined && kept !== undefined ? beginOf(kept) : undefined);
  };
  return (
    <Button aria-pressed={asOf !== undefined} icon={<History size={16} aria-hidden />} onClick={toggle}>
      {t('history.lookBack')}
    </Button>
  );
}
