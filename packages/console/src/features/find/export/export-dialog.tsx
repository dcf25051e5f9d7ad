import { useState } from 'react';
import { client } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { sortQuery } from '../../../records/grid/columns/sort.js';
import { useOtherFields } from '../../../records/other-fields.js';
import { Check } from '../../../ui/controls/check-list.js';
import { ExportDialog } from '../../../ui/export/export-dialog.js';
import type { Format } from '../../../ui/export/export-file.js';
import { SYSTEM_FIELDS } from '../../../values/field-types.js';
import { describe } from '../builder/describe.js';
import { fromFilter } from '../model/from-filter.js';
import type { Finder } from '../use-finder.js';
import styles from './field-chooser.module.css';

interface ExportRecordsDialogProps {
  readonly finder: Finder;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

const FORMATS: readonly Format[] = ['csv', 'ndjson', 'json'];

/** A file of the records that the page shows. */
export default function ExportRecordsDialog({ finder, open, onOpenChange }: ExportRecordsDialogProps) {
  const { collection, search } = finder;
  const [choice, setChoice] = useState<FieldChoice>(search.columns === undefined ? 'all' : 'shown');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const others = useOtherFields(collection.collection_id, collection.schema);
  const names = [...Object.keys(SYSTEM_FIELDS), ...Object.keys(collection.schema), ...topLevel(others)];
  const fields = choice === 'all' ? undefined : choice === 'shown' ? search.columns : chosen;
  return (
    <ExportDialog
      open={open}
      onOpenChange={onOpenChange}
      title={t('find.exportTitle')}
      text={
        search.filter === undefined
          ? t('find.exportAll')
          : t('find.exportFiltered', { text: describe(fromFilter(search.filter), collection.schema) })
      }
      fileName={collection.name}
      formats={FORMATS}
      unit="records"
      isComplete={choice !== 'chosen' || chosen.length > 0}
      source={(choice, signal) =>
        client
          .collection(collection.collection_id)
          .export({
            ...choice,
            fields,
            signal,
            filter: search.filter,
            sort: sortQuery(search.sort),
            asOf: search.as_of,
          })
          .stream()
      }
    >
      <FieldChooser
        names={[...new Set(names)]}
        hasShown={search.columns !== undefined}
        choice={choice}
        chosen={chosen}
        onChoice={setChoice}
        onChosen={setChosen}
      />
    </ExportDialog>
  );
}

/** Fields of records, without the paths into them. */
function topLevel(names: readonly string[]): readonly string[] {
  return names.filter(name => !name.includes('.'));
}

type FieldChoice = 'all' | 'shown' | 'chosen';

interface FieldChooserProps {
  /** The fields that can be chosen. */
  readonly names: readonly string[];
  /** True if the address names the columns that the grid shows. */
  readonly hasShown: boolean;
  readonly choice: FieldChoice;
  readonly chosen: readonly string[];
  readonly onChoice: (choice: FieldChoice) => void;
  readonly onChosen: (names: readonly string[]) => void;
}

/** All fields, those that the grid shows, or some that are marked. The file has them in the order of the list. */
function FieldChooser({ names, hasShown, choice, chosen, onChoice, onChosen }: FieldChooserProps) {
  const choices: readonly FieldChoice[] = hasShown ? ['all', 'shown', 'chosen'] : ['all', 'chosen'];
  const toggle = (name: string) => {
    const next = new Set(chosen);
    if (!next.delete(name)) next.add(name);
    onChosen(names.filter(each => next.has(each)));
  };
  return (
    <fieldset className={styles.fields}>
      <legend className={styles.legend}>{t('find.exportFields')}</legend>
      {choices.map(each => (
        <label key={each} className={styles.choice}>
          <input type="radio" name="fields" checked={choice === each} onChange={() => onChoice(each)} />
          {t(`find.fields_${each}`)}
        </label>
      ))}
      {choice === 'chosen' && (
        <fieldset className={styles.names}>
          <legend className="visually-hidden">{t('find.chooseFields')}</legend>
          {names.map(name => (
            <Check key={name} label={name} checked={chosen.includes(name)} onChange={() => toggle(name)} />
          ))}
        </fieldset>
      )}
      {choice === 'chosen' && chosen.length === 0 && <p className={styles.warning}>{t('find.noFields')}</p>}
    </fieldset>
  );
}
