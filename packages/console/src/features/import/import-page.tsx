import { useQuery } from '@tanstack/react-query';
import { NetworkError } from '@typed-collections/client';
import { useState } from 'react';
import { type CollectionInfo, collectionQuery } from '../../api/collection-query.js';
import { collectionRoute } from '../../api/routes.js';
import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { Select } from '../../ui/controls/field.js';
import { Section } from '../../ui/data/section.js';
import { SimpleTable } from '../../ui/data/simple-table.js';
import { EmptyState, Loading } from '../../ui/states.js';
import { doubledName, missingColumns, proposedNames } from './fields/targets.js';
import type { Samples } from './file/head.js';
import type { TargetNames } from './file/plan.js';
import styles from './import.module.css';
import { DropZone } from './parts/drop-zone.js';
import { FileSettings } from './parts/file-settings.js';
import { ImportResult } from './parts/import-result.js';
import { RunOptions } from './parts/run-options.js';
import { sampleColumns } from './parts/sample-cells.js';
import { type ChosenFile, useChosenFile } from './parts/use-chosen-file.js';
import { type FileImport, useFileImport } from './run/use-file-import.js';

/** Imports a file into a collection. */
export function ImportPage() {
  const { collection } = collectionRoute.useParams();
  const { data: info } = useQuery(collectionQuery(collection));
  const { file, choose, problem } = useChosenFile();
  if (info === undefined) return <Loading lines={4} />;
  if (!info.my_rights.includes('write')) return <EmptyState title={t('import.readOnly')} />;
  return (
    <div className={styles.page}>
      {file === undefined ? (
        <DropZone onFile={choose} problem={problem} />
      ) : (
        <ImportForm
          key={JSON.stringify([info.collection_id, file.samples.names])}
          info={info}
          chosen={file}
        />
      )}
    </div>
  );
}

interface ImportFormProps {
  readonly info: CollectionInfo;
  readonly chosen: ChosenFile;
}

/** Where the fields of a file go, what happens to rows that do not fit, and the import itself. */
function ImportForm({ info, chosen }: ImportFormProps) {
  const { collection } = collectionRoute.useParams();
  const { file, reading, samples } = chosen;
  const [names, setNames] = useState(() => proposedNames(samples.names, info.schema));
  const [choice, setChoice] = useState({ isAllOrNothing: false, upsertKey: undefined as string | undefined });
  const plan = { reading, samples, targets: names };
  const importing = useFileImport(file, plan, choice);
  const { isRunning, state } = importing.run;
  const isReady = names.some(name => name !== null) && doubledName(names) === undefined;
  const keys = info.uniques.flatMap(({ properties: [key, ...others] }) =>
    key !== undefined && others.length === 0 && names.includes(key) ? [key] : [],
  );
  return (
    <>
      <FileSettings chosen={chosen} isDisabled={isRunning} />
      <TargetTable samples={samples} info={info} chosen={names} isDisabled={isRunning} onChange={setNames} />
      <RunOptions keys={keys} choice={choice} isDisabled={isRunning} onChange={setChoice} />
      <div className={styles.actions}>
        <Button disabled={isRunning || !isReady} onClick={() => importing.begin(info.collection_id, true)}>
          {t('import.check')}
        </Button>
        <Button
          look="primary"
          disabled={isRunning || !isReady || isImported(state)}
          onClick={() => importing.begin(info.collection_id, false)}
        >
          {t('import.begin')}
        </Button>
        {isImported(state) && state?.error === undefined && (
          <span className={styles.quiet}>{t('import.again')}</span>
        )}
      </div>
      <ImportResult
        importing={importing}
        plan={plan}
        info={info}
        fileName={file.name}
        inAddress={collection}
      />
    </>
  );
}

/**
 * A file that was imported is not imported a second time by a stray click: it has to be chosen again. An import whose
 * answer was lost goes on instead.
 */
function isImported(state: FileImport['run']['state']): boolean {
  if (state === undefined || state.job.options.dryRun) return false;
  return state.error instanceof NetworkError || state.done.inserted + state.done.updated > 0;
}

interface TargetTableProps {
  readonly samples: Samples;
  readonly info: CollectionInfo;
  readonly chosen: TargetNames;
  readonly isDisabled: boolean;
  readonly onChange: (chosen: TargetNames) => void;
}

/** Each field of the file with its first values, and the column that it goes to. */
function TargetTable({ samples, info, chosen, isDisabled, onChange }: TargetTableProps) {
  const doubled = doubledName(chosen);
  const missing = missingColumns(chosen, info.schema);
  const items = samples.names.map((name, index) => ({ name, index }));
  return (
    <Section title={t('import.fields')} text={t('import.fieldsText')}>
      <SimpleTable
        label={t('import.fields')}
        items={items}
        itemKey={({ index }) => index}
        empty={<p>{t('import.noFields')}</p>}
        columns={[
          { title: t('import.field'), cell: ({ name }) => name },
          ...sampleColumns<(typeof items)[number]>(samples, ({ index }) => index),
          {
            title: t('import.target'),
            cell: ({ name, index }) => (
              <Select
                aria-label={t('import.targetOf', { name })}
                aria-invalid={doubled !== undefined && chosen[index] === doubled}
                disabled={isDisabled}
                value={chosen[index] ?? ''}
                onChange={({ target }) =>
                  onChange(chosen.map((each, at) => (at === index ? target.value || null : each)))
                }
              >
                <option value="">{t('import.leaveOut')}</option>
                {Object.entries(info.schema).map(([column, { type }]) => (
                  <option key={column} value={column}>
                    {column} ({t(`records.type_${type}`)})
                  </option>
                ))}
                {!Object.hasOwn(info.schema, name) && (
                  <option value={name}>{t('import.keepField', { name })}</option>
                )}
              </Select>
            ),
          },
        ]}
      />
      {doubled !== undefined && (
        <p role="alert" className={styles.problem}>
          {t('import.doubled', { name: doubled })}
        </p>
      )}
      {missing.length > 0 && (
        <p role="status" className={styles.warning}>
          {t('import.missing', { count: missing.length, names: missing.join(', ') })}
        </p>
      )}
    </Section>
  );
}
