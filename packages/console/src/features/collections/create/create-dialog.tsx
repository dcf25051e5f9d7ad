import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { AlreadyExistsError } from '@typed-collections/client';
import { type FormEvent, useId, useState } from 'react';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { CollectionNameField } from '../../../ui/controls/collection-name-field.js';
import { Field, TextArea } from '../../../ui/controls/field.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { ErrorBox } from '../../../ui/states/error-box.js';
import { type DraftColumn, drafted, problemOf, propertiesOf } from '../../../values/draft-columns.js';
import { ColumnsEditor } from './columns-editor.js';
import styles from './create.module.css';

/** Creates a collection: empty, or with columns that the service suggests from the description. */
export function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const form = useId();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [columns, setColumns] = useState<readonly DraftColumn[]>([]);
  const suggest = useMutation({
    mutationFn: () => api.ai.suggestSchema({ description: description.trim() }),
    onSuccess: ({ data }) => {
      setColumns(drafted(data.properties));
      if (name === '') setName(data.name);
    },
  });
  const create = useCreate();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (columns.some(column => problemOf(columns, column) !== undefined)) return;
    create.mutate({ name, description, columns });
  };
  const isTaken = create.error instanceof AlreadyExistsError;
  return (
    <Dialog
      open
      keepsInput={!create.isPending}
      onOpenChange={open => !open && onClose()}
      title={t('collections.create')}
      shape="wide"
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button type="submit" form={form} look="primary" disabled={create.isPending}>
            {t('collections.createIt')}
          </Button>
        </>
      }
    >
      <form id={form} className={styles.form} onSubmit={submit}>
        <p className={styles.quiet}>
          <Link to="/import">{t('import.fromFile')}</Link>
        </p>
        <CollectionNameField isTaken={isTaken} value={name} onChange={setName} />
        <Field label={t('collections.description')} hint={t('collections.descriptionHint')}>
          {control => (
            <TextArea
              {...control}
              maxLength={4000}
              value={description}
              onChange={event => setDescription(event.target.value)}
            />
          )}
        </Field>
        <div className={styles.suggest}>
          <Button disabled={description.trim() === '' || suggest.isPending} onClick={() => suggest.mutate()}>
            {suggest.isPending ? t('collections.suggesting') : t('collections.suggest')}
          </Button>
          <span className={styles.quiet}>{t('collections.suggestText')}</span>
        </div>
        {suggest.error !== null && <ErrorBox error={suggest.error} />}
        <ColumnsEditor columns={columns} onChange={setColumns} />
        {create.error !== null && !isTaken && <ErrorBox error={create.error} />}
      </form>
    </Dialog>
  );
}

interface NewCollection {
  readonly name: string;
  readonly description: string;
  readonly columns: readonly DraftColumn[];
}

/** Creates the collection and opens it. */
function useCreate() {
  const navigate = useNavigate();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ name, description, columns }: NewCollection) =>
      api.collections.createCollection({
        name,
        ...(description.trim() !== '' && { description: description.trim() }),
        ...(columns.length > 0 && { properties: propertiesOf(columns) }),
      }),
    onSuccess: async ({ collection_id: id }) => {
      await cache.invalidateQueries({ queryKey: ['collections'] });
      await navigate({ to: '/collections/$collection', params: { collection: id } });
    },
  });
}
