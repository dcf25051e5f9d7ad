import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { AlreadyExistsError } from '@typed-collections/client';
import { type FormEvent, useState } from 'react';
import { api } from '../../api/client.js';
import { collectionQuery } from '../../api/collection-query.js';
import { isAllowed } from '../../api/permissions.js';
import { meQuery } from '../../api/session.js';
import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { CollectionNameField } from '../../ui/controls/collection-name-field.js';
import { TextAreaField } from '../../ui/controls/field.js';
import { Section } from '../../ui/data/section.js';
import { EmptyState, ErrorBox, Loading } from '../../ui/states.js';
import { problemOf, propertiesOf } from '../../values/draft-columns.js';
import { type NewField, newFields, newTargets, sampleRecords } from './fields/new-fields.js';
import { NewFieldsTable } from './fields/new-fields-table.js';
import styles from './import.module.css';
import { DropZone } from './parts/drop-zone.js';
import { FileSettings } from './parts/file-settings.js';
import { ImportResult } from './parts/import-result.js';
import { type ChosenFile, useChosenFile } from './parts/use-chosen-file.js';
import { useFileImport } from './run/use-file-import.js';

/** Makes a new collection from a file. */
export function NewCollectionPage() {
  const { data: me } = useQuery(meQuery);
  const { file, choose, problem } = useChosenFile();
  if (me === undefined) return <Loading lines={4} />;
  return (
    <div className={styles.page}>
      <h1>{t('import.newTitle')}</h1>
      {!isAllowed(me, 'collections:create') ? (
        <EmptyState title={t('import.mayNotCreate')} />
      ) : file === undefined ? (
        <DropZone onFile={choose} problem={problem} />
      ) : (
        <NewCollectionForm chosen={file} />
      )}
    </div>
  );
}

/** Name, columns and import of a collection that a file makes. Columns are suggested from the first rows. */
function NewCollectionForm({ chosen }: { readonly chosen: ChosenFile }) {
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
  const plan = { reading, samples, targets: newTargets(fields) };
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
          <TextAreaField
            label={t('collections.description')}
            maxLength={4000}
            disabled={isFixed}
            value={description}
            onChange={setDescription}
          />
        </Section>
        {suggestion.error !== null && (
          <ErrorBox error={suggestion.error} onRetry={() => void suggestion.refetch()} />
        )}
        {suggestion.isPending && <Loading lines={4} />}
        {suggestion.data !== undefined && (
          <NewFieldsTable
            samples={samples}
            reading={reading}
            fields={fields}
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
          importing={importing}
          plan={plan}
          info={creation.info}
          fileName={file.name}
          inAddress={creation.info.name}
        />
      )}
    </>
  );
}

interface NewCollection {
  readonly name: string;
  readonly description: string;
  readonly fields: readonly NewField[];
}

/** Creates the collection of a file, and then calls `onCreated` with its id. */
function useNewCollection(onCreated: (id: string) => void) {
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: ({ name, description, fields }: NewCollection) =>
      api.collections.createCollection({
        name,
        ...(description !== '' && { description }),
        properties: propertiesOf(fields),
      }),
    onSuccess: ({ collection_id }) => {
      void queries.invalidateQueries({ queryKey: ['collections'] });
      onCreated(collection_id);
    },
  });
  const id = create.data?.collection_id ?? '';
  const { data: info } = useQuery({ ...collectionQuery(id), enabled: id !== '' });
  return { create, info, isTaken: create.error instanceof AlreadyExistsError };
}

/** A name for a collection: that of the file, with the signs that names have. */
function nameFromFile(fileName: string): string {
  const plain = fileName
    .replace(/\.[^.]*$/, '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return plain.slice(0, 64) || 'import';
}
