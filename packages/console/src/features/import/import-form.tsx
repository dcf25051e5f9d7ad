import { NetworkError } from '@typed-collections/client';
import { useState } from 'react';
import type { CollectionInfo } from '../../api/collection-query.js';
import { collectionRoute } from '../../api/collection-route.js';
import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { TargetTable } from './fields/target-table.js';
import { doubledName, proposedNames, typedTargets } from './fields/targets.js';
import styles from './import.module.css';
import { FileSettings } from './parts/file-settings.js';
import { ImportResult } from './parts/import-result.js';
import { RunOptions } from './parts/run-options.js';
import type { ChosenFile } from './parts/use-chosen-file.js';
import { useFileImport } from './parts/use-file-import.js';

interface ImportFormProps {
  readonly info: CollectionInfo;
  readonly chosen: ChosenFile;
}

/** Where the fields of a file go, what happens to rows that do not fit, and the import itself. */
export function ImportForm({ info, chosen }: ImportFormProps) {
  const { collection } = collectionRoute.useParams();
  const { file, reading, samples } = chosen;
  const [names, setNames] = useState(() => proposedNames(samples.names, info.schema));
  const [choice, setChoice] = useState({ isAllOrNothing: false, upsertKey: undefined as string | undefined });
  const plan = { reading, names: samples.names, targets: typedTargets(names, info.schema) };
  const importing = useFileImport(file, plan, choice);
  const { isRunning, state } = importing.runner;
  const isReady = names.some(name => name !== null) && doubledName(names) === undefined;
  const keys = info.uniques.flatMap(({ properties: [key, ...others] }) =>
    key !== undefined && others.length === 0 && names.includes(key) ? [key] : [],
  );
  return (
    <>
      <FileSettings chosen={chosen} isDisabled={isRunning} />
      <TargetTable {...{ samples, info }} chosen={names} isDisabled={isRunning} onChange={setNames} />
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
      <ImportResult {...{ importing, plan, info }} fileName={file.name} inAddress={collection} />
    </>
  );
}

/**
 * A file that was imported is not imported a second time by a stray click: it has to be chosen again. An import whose
 * answer was lost goes on instead.
 */
function isImported(state: ReturnType<typeof useFileImport>['runner']['state']): boolean {
  if (state === undefined || state.job.isCheck) return false;
  return state.error instanceof NetworkError || state.progress.inserted + state.progress.updated > 0;
}
