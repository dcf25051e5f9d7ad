import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../api/client.js';
import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { CollectionNameField } from '../../ui/controls/collection-name-field.js';
import { Field, TextArea } from '../../ui/controls/field.js';
import { Section } from '../../ui/data/section.js';
import { ErrorBox } from '../../ui/states/error-box.js';
import { Loading } from '../../ui/states/loading.js';
import { problemOf } from '../../values/draft-columns.js';
import { type NewField, newFields, newTargets, sampleRecords } from './fields/new-fields.js';
import { NewFieldsTable } from './fields/new-fields-table.js';
import { nameFromFile, useNewCollection } from './fields/use-new-collection.js';
import styles from './import.module.css';
import { FileSettings } from './parts/file-settings.js';
import { ImportResult } from './parts/import-result.js';
import type { ChosenFile } from './parts/use-chosen-file.js';
import { useFileImport } from './parts/use-file-import.js';

/** Name, columns and import of a collection that a file makes. Columns are suggested from the first rows. */
export function NewCollectionForm({ chosen }: { readonly chosen: ChosenFile }) {
  const { file, reading, samples } = chosen;
  const [name, setName] = useState(nameFromFile(file.name));
  const [description, setDescription] = useState('');
  const suggestion = useQuery({
    queryKey: ['import', 'suggestion', file.name, file.lastModified, reading],
    queryFn: ({ signal }) =>
      api.ai.suggestSchema(
        {
          description: nameFromFile(file.name),
          samples: sampleRecords(samples, reading),
          samples_from: reading.format === 'csv' ? 'csv' : 'records',
        },
        { signal },
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const suggested = suggestion.data && newFields(samples.names, suggestion.data.data, samples.isAll);
  const [changed, setChanged] = useState<{ readonly of: unknown; readonly fields: readonly NewField[] }>();
  // Columns that were changed are kept until the file is read differently.
  const fields = (changed?.of === suggestion.data ? changed?.fields : undefined) ?? suggested ?? [];
  const plan = { reading, names: samples.names, targets: newTargets(fields) };
  const importing = useFileImport(file, plan, { isAllOrNothing: false, upsertKey: undefined });
  const taken = fields.filter(({ isIn }) => isIn);
  const creation = useNewCollection(id => importing.begin(id, false));
  const isFixed = creation.create.isPending || creation.create.isSuccess;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (taken.every(field => problemOf(taken, field) === undefined)) {
      creation.create.mutate({ name, description: description.trim(), fields: taken });
    }
  };
  return (
    <>
      <form className={styles.form} onSubmit={submit}>
        <FileSettings chosen={chosen} isDisabled={isFixed} />
        <Section title={t('import.newCollection')}>
          <CollectionNameField
            isTaken={creation.isTaken}
            disabled={isFixed}
            value={name}
            onChange={setName}
          />
          <Field label={t('collections.description')}>
            {control => (
              <TextArea
                {...control}
                maxLength={4000}
                disabled={isFixed}
                value={description}
                onChange={({ target }) => setDescription(target.value)}
              />
            )}
          </Field>
        </Section>
        {suggestion.error !== null && (
          <ErrorBox error={suggestion.error} onRetry={() => void suggestion.refetch()} />
        )}
        {suggestion.isPending && <Loading lines={4} />}
        {suggestion.data !== undefined && (
          <NewFieldsTable
            {...{ samples, reading, fields }}
            isDisabled={isFixed}
            onChange={next => setChanged({ of: suggestion.data, fields: next })}
          />
        )}
        {!creation.create.isSuccess && (
          <div className={styles.actions}>
            <Button
              type="submit"
              look="primary"
              disabled={creation.create.isPending || suggestion.data === undefined || taken.length === 0}
            >
              {t('import.createAndImport')}
            </Button>
          </div>
        )}
        {creation.create.error !== null && !creation.isTaken && <ErrorBox error={creation.create.error} />}
      </form>
      {creation.info !== undefined && (
        <ImportResult
          {...{ importing, plan }}
          info={creation.info}
          fileName={file.name}
          inAddress={creation.info.name}
        />
      )}
    </>
  );
}
