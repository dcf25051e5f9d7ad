import type { CollectionInfo } from '../../api/collection-query.js';
import { t } from '../../i18n/language.js';
import { useOtherFields } from '../../records/other-fields.js';
import { CheckList } from '../../ui/controls/check-list.js';
import { Field, Select } from '../../ui/controls/field.js';
import { FIELD_MODES, type FieldsDraft } from './grant-draft.js';
import styles from './rules.module.css';

interface FieldsEditorProps {
  readonly info: CollectionInfo;
  readonly kind: 'read' | 'write';
  readonly list: FieldsDraft;
  readonly onChange: (list: FieldsDraft) => void;
}

/** The fields that a grant shows, or lets its holder write: all, some, or all but some. */
export function FieldsEditor({ info, kind, list, onChange }: FieldsEditorProps) {
  const others = useOtherFields(info.collection_id, info.schema).filter(name => !name.includes('.'));
  const names = [...new Set([...Object.keys(info.schema), ...others, ...list.names])];
  return (
    <div className={styles.rule}>
      <Field label={t(`rules.fields_${kind}`)}>
        {control => (
          <Select
            {...control}
            value={list.mode}
            onChange={({ target }) => onChange({ ...list, mode: target.value as FieldsDraft['mode'] })}
          >
            {FIELD_MODES.map(mode => (
              <option key={mode} value={mode}>
                {t(`rules.fields_${mode}`)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {list.mode !== 'all' && (
        <CheckList
          label={t(list.mode === 'only' ? 'rules.theseFields' : 'rules.notTheseFields')}
          choices={names.map(name => ({ value: name, label: name }))}
          chosen={list.names}
          onChange={chosen => onChange({ ...list, names: chosen })}
        />
      )}
    </div>
  );
}
