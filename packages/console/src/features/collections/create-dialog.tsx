import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { AlreadyExistsError } from '@typed-collections/client';
import { Plus, Trash2 } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { api } from '../../api/client.js';
import { t } from '../../i18n/language.js';
import { Button, IconButton } from '../../ui/controls/button.js';
import { CollectionNameField } from '../../ui/controls/collection-name-field.js';
import { ChoiceList, Input, TextAreaField } from '../../ui/controls/field.js';
import { Dialog } from '../../ui/overlays/dialog.js';
import { ErrorBox } from '../../ui/states.js';
import {
  COLUMN_TYPES,
  changed,
  type DraftColumn,
  drafted,
  problemOf,
  propertiesOf,
  withNew,
} from '../../values/draft-columns.js';
import styles from './create/create.module.css';

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
        <TextAreaField
          label={t('collections.description')}
          hint={t('collections.descriptionHint')}
          maxLength={4000}
          value={description}
          onChange={setDescription}
        />
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

interface ColumnsEditorProps {
  readonly columns: readonly DraftColumn[];
  readonly onChange: (columns: readonly DraftColumn[]) => void;
}

/** Names, types and rules of the columns. Without any, the collection takes records of every shape. */
function ColumnsEditor({ columns, onChange }: ColumnsEditorProps) {
  return (
    <fieldset className={styles.columns}>
      <legend>{t('collections.columns')}</legend>
      {columns.length === 0 && <p className={styles.quiet}>{t('collections.noColumns')}</p>}
      {columns.map(column => (
        <ColumnRow
          key={column.key}
          column={column}
          problem={problemOf(columns, column)}
          onChange={part => onChange(changed(columns, column.key, part))}
          onRemove={() => onChange(columns.filter(({ key }) => key !== column.key))}
        />
      ))}
      <Button look="plain" icon={<Plus size={16} aria-hidden />} onClick={() => onChange(withNew(columns))}>
        {t('collections.addColumn')}
      </Button>
    </fieldset>
  );
}

interface ColumnRowProps {
  readonly column: DraftColumn;
  readonly problem: 'empty' | 'twice' | undefined;
  readonly onChange: (part: Partial<DraftColumn>) => void;
  readonly onRemove: () => void;
}

const PROBLEMS = { empty: 'collections.columnEmpty', twice: 'collections.columnTwice' } as const;

function ColumnRow({ column, problem, onChange, onRemove }: ColumnRowProps) {
  const name = column.name.trim() || t('collections.columnNew');
  return (
    <div className={styles.column}>
      <Input
        aria-label={t('collections.columnName', { name })}
        aria-invalid={problem !== undefined}
        value={column.name}
        maxLength={63}
        autoComplete="off"
        onChange={event => onChange({ name: event.target.value })}
      />
      <ChoiceList
        aria-label={t('collections.columnType', { name })}
        value={column.type}
        onChange={type => onChange({ type: type })}
        choices={COLUMN_TYPES}
      />
      <label className={styles.required}>
        <input
          type="checkbox"
          checked={!column.nullable}
          onChange={event => onChange({ nullable: !event.target.checked })}
        />
        {t('collections.columnRequired')}
      </label>
      <IconButton
        label={t('collections.columnRemove', { name })}
        icon={<Trash2 size={16} aria-hidden />}
        onClick={onRemove}
      />
      {problem !== undefined && (
        <p role="alert" className={styles.problem}>
          {t(PROBLEMS[problem])}
        </p>
      )}
    </div>
  );
}
