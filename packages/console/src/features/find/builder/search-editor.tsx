import { t } from '../../../i18n/language.js';
import { Input, Select } from '../../../ui/controls/field.js';
import { newCondition } from '../model/choices.js';
import type { Path } from '../model/edit.js';
import styles from './builder.module.css';
import { useBuilder } from './builder-context.js';

/** A text in any of the text columns. */
export function SearchEditor({ text, path }: { readonly text: string; readonly path: Path }) {
  const { change, columns } = useBuilder();
  return (
    <>
      <Select
        aria-label={t('find.field')}
        className={styles.field}
        value=""
        onChange={event => change(path, () => newCondition(event.target.value, columns))}
      >
        <option value="">{t('find.anyText')}</option>
        {Object.keys(columns).map(name => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </Select>
      <span className={styles.element}>{t('find.op_contains')}</span>
      <Input
        aria-label={t('find.value')}
        className={styles.value}
        value={text}
        onChange={event => change(path, () => ({ kind: 'search', text: event.target.value }))}
      />
    </>
  );
}
