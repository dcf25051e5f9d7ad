import { Plus, Trash2 } from 'lucide-react';
import { t } from '../../../i18n/language.js';
import { Button, IconButton } from '../../../ui/controls/button.js';
import { Input, Select } from '../../../ui/controls/field.js';
import {
  COLUMN_TYPES,
  changed,
  type DraftColumn,
  problemOf,
  withNew,
} from '../../../values/draft-columns.js';
import styles from './create.module.css';

interface ColumnsEditorProps {
  readonly columns: readonly DraftColumn[];
  readonly onChange: (columns: readonly DraftColumn[]) => void;
}

/** Names, types and rules of the columns. Without any, the collection takes records of every shape. */
export function ColumnsEditor({ columns, onChange }: ColumnsEditorProps) {
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
      <Select
        aria-label={t('collections.columnType', { name })}
        value={column.type}
        onChange={({ target }) =>
          onChange({ type: COLUMN_TYPES.find(type => type === target.value) ?? 'text' })
        }
      >
        {COLUMN_TYPES.map(type => (
          <option key={type} value={type}>
            {type}
          </option>
        ))}
      </Select>
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
