import { useState } from 'react';
import { client } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { sortQuery } from '../../../records/grid/columns/sort.js';
import { useOtherFields } from '../../../records/use-other-fields.js';
import { ExportDialog } from '../../../ui/export/export-dialog.js';
import type { Format } from '../../../ui/export/export-file.js';
import { SYSTEM_FIELDS } from '../../../values/field-types.js';
import { describe } from '../builder/describe.js';
import { fromFilter } from '../model/from-filter.js';
import type { Finder } from '../use-finder.js';
import { type FieldChoice, FieldChooser } from './field-chooser.js';

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
      {...{ open, onOpenChange }}
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
      source={(format, signal) =>
        client
          .collection(collection.collection_id)
          .export({
            ...{ format, fields, signal },
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
