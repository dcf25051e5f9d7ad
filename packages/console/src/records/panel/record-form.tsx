import { Copy, Filter, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { CollectionInfo } from '../../api/collection-query.js';
import { language, t } from '../../i18n/language.js';
import { IconButton } from '../../ui/controls/button.js';
import { formatInstant } from '../../values/dates.js';
import { writtenLocale } from '../../values/written-locale.js';
import { withChanges } from '../edit/cell/cell-mark.js';
import { startOf } from '../edit/cell/draft.js';
import { AddField } from '../edit/form/add-field.js';
import { FieldChange, FieldEditor } from '../edit/form/field-editor.js';
import type { Typed } from '../edit/model/typed-text.js';
import type { Editing } from '../edit/use-editing.js';
import { isFilterable } from '../grid/actions/conditions.js';
import { allColumns, type GridColumn } from '../grid/columns/columns.js';
import { CellContent } from '../grid/table/cell-content.js';
import { cellValue, type FieldType, wholeText } from '../values/cell-value.js';
import type { GridRecord } from '../window/page-slot.js';
import { LongText } from './long-text.js';
import styles from './panel.module.css';

interface RecordFormProps {
  readonly record: GridRecord;
  readonly schema: CollectionInfo['schema'];
  /** Undefined for people who may only read. */
  readonly editing: Editing | undefined;
  readonly onCopy: (name: string, type: FieldType) => void;
  readonly onFilter: (name: string) => void;
}

/** The fields of a record in the order of the schema: flexible fields follow, then those of the service. */
export function RecordForm({ record, schema, editing, onCopy, onFilter }: RecordFormProps) {
  const [edited, setEdited] = useState<string>();
  const row = editing?.state.rows.get(record._id);
  const shown = withChanges(record, row);
  const names = new Set([...Object.keys(record), ...Object.keys(shown)]);
  const columns = allColumns(schema, [...names]);
  const stage = (field: string, entered: Typed) =>
    editing?.stage([{ record: editing.edited(record), field, before: record[field], entered }]);
  return (
    <>
      <dl className={styles.fields}>
        {columns.map(({ name, type }: GridColumn) => {
          const column = editing?.columnOf(name);
          return (
            <div key={name} className={styles.field}>
              <dt className={styles.fieldHead}>
                <span className={styles.fieldName}>{name}</span>
                <span className={styles.fieldType}>{t(`records.type_${type}`)}</span>
                <span className={styles.fieldActions}>
                  {column !== undefined && (
                    <IconButton
                      label={t('edit.editField', { name })}
                      icon={<Pencil size={14} aria-hidden />}
                      onClick={() => setEdited(name)}
                    />
                  )}
                  {column?.type === 'flexible' && Object.hasOwn(shown, name) && (
                    <IconButton
                      label={t('edit.removeFieldNamed', { name })}
                      icon={<Trash2 size={14} aria-hidden />}
                      onClick={() => stage(name, { value: undefined })}
                    />
                  )}
                  {isFilterable(name, record[name]) && (
                    <IconButton
                      label={t('records.useFieldAsFilter', { name })}
                      icon={<Filter size={14} aria-hidden />}
                      onClick={() => onFilter(name)}
                    />
                  )}
                  <IconButton
                    label={t('records.copyField', { name })}
                    icon={<Copy size={14} aria-hidden />}
                    onClick={() => onCopy(name, type)}
                  />
                </span>
              </dt>
              <dd className={styles.value}>
                {column !== undefined && edited === name ? (
                  <FieldEditor
                    name={name}
                    column={column}
                    before={record[name]}
                    start={startOf(row, name, record[name], column, writtenLocale())}
                    onGone={entered => stage(name, entered)}
                    onDone={entered => {
                      setEdited(undefined);
                      if (entered !== undefined) stage(name, entered);
                    }}
                  />
                ) : (
                  <FieldValue record={shown} name={name} type={type} />
                )}
                {editing !== undefined && <FieldChange editing={editing} record={record} name={name} />}
              </dd>
            </div>
          );
        })}
      </dl>
      {editing !== undefined && (
        <AddField editing={editing} taken={[...names]} onAdd={(name, value) => stage(name, { value })} />
      )}
    </>
  );
}

interface FieldValueProps {
  readonly record: GridRecord;
  readonly name: string;
  readonly type: FieldType;
}

/** The whole value of a field, by its type. */
function FieldValue({ record, name, type }: FieldValueProps) {
  const value = record[name];
  const short = cellValue(record, name, type, language());
  if (short.kind === 'null' || short.kind === 'absent' || short.kind === 'empty') {
    return <CellContent value={short} />;
  }
  if (short.kind === 'datetime' && typeof value === 'string') {
    return (
      <>
        <time dateTime={value}>{formatInstant(value, language())}</time>
        <span className={styles.raw}>{value}</span>
      </>
    );
  }
  const isCode = short.kind === 'json';
  return (
    <LongText text={wholeText(value, 2)} isCode={isCode} fileName={`${name}.${isCode ? 'json' : 'txt'}`} />
  );
}
