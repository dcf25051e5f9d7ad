import { t } from '../../../i18n/language.js';
import { Field } from '../../../ui/controls/field.js';
import type { Draft } from '../cell/draft.js';
import { ValueEditor } from '../cell/value-editor.js';
import type { TypedColumn } from '../model/typed-text.js';

interface ValueFieldProps {
  readonly name: string;
  readonly column: TypedColumn;
  readonly draft: Draft;
  readonly error: string | undefined;
  readonly onChange: (draft: Draft) => void;
}

/** A labelled editor with the type of its column. */
export function ValueField({ name, column, draft, error, onChange }: ValueFieldProps) {
  const type = t(`records.type_${column.type}`);
  return (
    <Field label={name} hint={column.isNullable ? type : t('edit.required', { type })} error={error}>
      {control => <ValueEditor column={column} draft={draft} onChange={onChange} control={control} />}
    </Field>
  );
}
