import { type FormEvent, useId, useState } from 'react';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Field, Select } from '../../../ui/controls/field.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { ErrorBox } from '../../../ui/states/error-box.js';
import { describe } from '../builder/describe.js';
import { SYSTEM_FIELDS } from '../model/field-types.js';
import { fromFilter } from '../model/from-filter.js';
import { useOtherFields } from '../use-fields.js';
import type { Finder } from '../use-finder.js';
import styles from './export.module.css';
import type { Format, Progress } from './export-file.js';
import { type FieldChoice, FieldChooser } from './field-chooser.js';
import { canWriteFiles, MEMORY_LIMIT, TooLarge } from './sinks.js';
import { byteSize } from './size.js';
import { useExport } from './use-export.js';

interface ExportDialogProps {
  readonly finder: Finder;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

const FORMATS: readonly Format[] = ['csv', 'ndjson', 'json'];

/** A file of the records that the page shows. */
export default function ExportDialog({ finder, open, onOpenChange }: ExportDialogProps) {
  const { collection, search } = finder;
  const form = useId();
  const [format, setFormat] = useState<Format>('csv');
  const [keepsFormulas, setKeepsFormulas] = useState(false);
  const [choice, setChoice] = useState<FieldChoice>(search.columns === undefined ? 'all' : 'shown');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const others = useOtherFields(collection.collection_id, collection.schema);
  const names = [...Object.keys(SYSTEM_FIELDS), ...Object.keys(collection.schema), ...topLevel(others)];
  const run = useExport(finder);
  const fields = choice === 'all' ? undefined : choice === 'shown' ? search.columns : chosen;
  const isComplete = choice !== 'chosen' || chosen.length > 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isComplete && !run.isPending) run.mutate({ format, fields, keepsFormulas });
  };
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t('find.exportTitle')}
      footer={
        run.isPending ? (
          <Button onClick={run.stop}>{t('find.exportStop')}</Button>
        ) : (
          <Button type="submit" form={form} look="primary" disabled={!isComplete}>
            {t('find.exportStart')}
          </Button>
        )
      }
    >
      <form id={form} className={styles.form} onSubmit={submit}>
        <p className={styles.text}>
          {search.filter === undefined
            ? t('find.exportAll')
            : t('find.exportFiltered', { text: describe(fromFilter(search.filter), collection.schema) })}
        </p>
        <Field label={t('find.format')}>
          {control => (
            <Select {...control} value={format} onChange={event => setFormat(event.target.value as Format)}>
              {FORMATS.map(each => (
                <option key={each} value={each}>
                  {t(`find.format_${each}`)}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {format === 'csv' && <Formulas isKept={keepsFormulas} onChange={setKeepsFormulas} />}
        <FieldChooser
          names={[...new Set(names)]}
          hasShown={search.columns !== undefined}
          choice={choice}
          chosen={chosen}
          onChoice={setChoice}
          onChosen={setChosen}
        />
        {!canWriteFiles() && (
          <p className={styles.hint}>{t('find.exportLimit', { size: byteSize(MEMORY_LIMIT) })}</p>
        )}
      </form>
      <Outcome run={run} />
    </Dialog>
  );
}

/** Fields of records, without the paths into them. */
function topLevel(names: readonly string[]): readonly string[] {
  return names.filter(name => !name.includes('.'));
}

interface FormulasProps {
  readonly isKept: boolean;
  readonly onChange: (isKept: boolean) => void;
}

function Formulas({ isKept, onChange }: FormulasProps) {
  return (
    <div>
      <label className={styles.check}>
        <input type="checkbox" checked={isKept} onChange={() => onChange(!isKept)} />
        {t('find.keepFormulas')}
      </label>
      <p className={isKept ? styles.warning : styles.hint}>
        {t(isKept ? 'find.formulasKept' : 'find.formulasGuarded')}
      </p>
    </div>
  );
}

/** How far the export is, and how it ended. */
function Outcome({ run }: { readonly run: ReturnType<typeof useExport> }) {
  const { error, data, progress, isPending } = run;
  const said = (key: 'find.exporting' | 'find.exported', { rows, bytes }: Progress) =>
    t(key, { count: rows, size: byteSize(bytes) });
  return (
    <div className={styles.outcome}>
      {isPending && (
        <>
          <progress className={styles.progress} aria-label={t('find.export')} />
          <p>{said('find.exporting', progress ?? { rows: 0, bytes: 0 })}</p>
        </>
      )}
      <p role="status">{data !== undefined && said('find.exported', data)}</p>
      {error?.name === 'AbortError' && <p role="status">{t('find.exportStopped')}</p>}
      {error instanceof TooLarge && (
        <p role="alert" className={styles.warning}>
          {t('find.exportTooLarge', { size: byteSize(MEMORY_LIMIT) })}
        </p>
      )}
      {error !== null && error.name !== 'AbortError' && !(error instanceof TooLarge) && (
        <ErrorBox error={error} />
      )}
    </div>
  );
}
