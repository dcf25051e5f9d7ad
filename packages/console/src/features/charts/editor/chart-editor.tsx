import { Link2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { TextAreaField } from '../../../ui/controls/field.js';
import { ErrorBox } from '../../../ui/states.js';
import { ChartFigures } from '../chart-figures.js';
import styles from '../charts.module.css';
import { type Chart, type ChartFilter, isObject } from '../model/chart.js';
import { chartFrom, type Draft, draftOf, problemOf } from '../model/draft.js';
import type { ColumnTypes } from '../model/read-chart.js';
import { DraftFields } from './draft-fields.js';

interface ChartEditorProps {
  readonly collection: string;
  readonly types: ColumnTypes;
  /** The chart as the address has it. */
  readonly chart: Chart;
  readonly isNew: boolean;
  /** Puts the chart into the address, so that a link shows it and a reload keeps it. */
  readonly onChange: (chart: Chart) => void;
  readonly onClose: () => void;
  /** Left out for those who may not save charts. */
  readonly onSave?: ((chart: Chart) => void) | undefined;
  readonly isSaving: boolean;
  readonly error: unknown;
}

/** Milliseconds without a change after which the preview is drawn. */
const SETTLED = 350;

/** The fields of a chart beside the chart as they make it. */
export function ChartEditor(props: ChartEditorProps) {
  const { collection, types, chart, isNew, onChange, onClose, onSave, isSaving, error } = props;
  const [draft, setDraft] = useState<Draft>(() => draftOf(chart));
  const [isFilterWrong, setFilterWrong] = useState(false);
  const problem = problemOf(draft);
  const change = (changed: Partial<Draft>) => setDraft(before => ({ ...before, ...changed }));
  useEffect(() => {
    const timer = setTimeout(() => {
      const drawn = chartFrom(draft, types, chart.id);
      const isOther = JSON.stringify(drawn) !== JSON.stringify(chart);
      if (problemOf(draft) === undefined && isOther) onChange(drawn);
    }, SETTLED);
    return () => clearTimeout(timer);
  }, [draft, types, chart, onChange]);
  const save = () => onSave?.(chartFrom(draft, types, chart.id));
  const isTitled = draft.title.trim() !== '';
  return (
    <section className={styles.editor} aria-label={t(isNew ? 'charts.newChart' : 'charts.editChart')}>
      <form
        className={styles.fields}
        onSubmit={event => {
          event.preventDefault();
          save();
        }}
      >
        <DraftFields draft={draft} types={types} problem={problem} onChange={change} />
        <FilterField filter={draft.filter} onChange={filter => change({ filter })} onWrong={setFilterWrong} />
        {error !== null && <ErrorBox error={error} />}
        <div className={styles.buttons}>
          {onSave !== undefined && (
            <Button
              type="submit"
              look="primary"
              disabled={!isTitled || problem !== undefined || isFilterWrong || isSaving}
            >
              {t('charts.saveChart')}
            </Button>
          )}
          <Button onClick={onClose}>{t(onSave === undefined ? 'common.close' : 'common.cancel')}</Button>
          <CopyLink />
        </div>
        <p className={styles.quiet}>
          {t(
            onSave === undefined
              ? 'charts.readersDraw'
              : isTitled
                ? 'charts.linkShares'
                : 'charts.needsTitle',
          )}
        </p>
      </form>
      <div className={styles.card}>
        <h2>{chart.title === '' ? t('charts.preview') : chart.title}</h2>
        <ChartFigures collection={collection} chart={chart} asTable={false} />
      </div>
    </section>
  );
}

function CopyLink() {
  const [isCopied, setCopied] = useState(false);
  // The clipboard is missing in pages that were not loaded over https.
  if (navigator.clipboard === undefined) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(location.href);
    setCopied(true);
  };
  return (
    <>
      <Button icon={<Link2 size={16} aria-hidden />} onClick={() => void copy()}>
        {t('charts.copyLink')}
      </Button>
      <span role="status" className={styles.quiet}>
        {isCopied ? t('common.copied') : ''}
      </span>
    </>
  );
}

interface FilterFieldProps {
  readonly filter: ChartFilter | undefined;
  readonly onChange: (filter: ChartFilter | undefined) => void;
  readonly onWrong: (isWrong: boolean) => void;
}

/** The filter of a chart as JSON. The records page, which builds filters, opens this page with its own. */
function FilterField({ filter, onChange, onWrong }: FilterFieldProps) {
  const [text, setText] = useState(filter === undefined ? '' : JSON.stringify(filter, undefined, 2));
  const [error, setError] = useState<string>();
  const change = (changed: string) => {
    setText(changed);
    const read = filterOf(changed);
    setError('problem' in read ? read.problem : undefined);
    onWrong('problem' in read);
    if (!('problem' in read)) onChange(read.filter);
  };
  return (
    <details open={filter !== undefined} className={styles.filter}>
      <summary>{t('charts.filter')}</summary>
      <TextAreaField
        label={t('charts.filterJson')}
        hint={t('charts.filterHint')}
        error={error}
        spellCheck={false}
        value={text}
        onChange={change}
      />
    </details>
  );
}

function filterOf(text: string): { filter: ChartFilter | undefined } | { problem: string } {
  if (text.trim() === '') return { filter: undefined };
  try {
    const filter: unknown = JSON.parse(text);
    return isObject(filter) ? { filter } : { problem: t('charts.filterWrong') };
  } catch (error) {
    return { problem: `${t('charts.filterWrong')} ${(error as Error).message}` };
  }
}
