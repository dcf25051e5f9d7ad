import { t } from '../../../../i18n/language.js';
import { Field, TextArea } from '../../../../ui/controls/field.js';
import { isObject } from '../../../../values/json.js';
import { parseJson } from '../../editor/json-text.js';
import type { Path } from '../../model/edit.js';
import type { Raw } from '../../model/model.js';
import styles from '../builder.module.css';
import { useBuilder } from '../builder-context.js';

/** A part of the filter that the builder has no form for. It stays as it is until somebody writes other JSON. */
export function RawEditor({ item, path }: { readonly item: Raw; readonly path: Path }) {
  const { change } = useBuilder();
  const text = item.text ?? JSON.stringify(item.filter, null, 2);
  const { value, problems } = parseJson(text);
  const [problem] = problems;
  const notFilter = isObject(value) ? undefined : t('find.json_object');
  const write = (text: string) => {
    const { value, problems } = parseJson(text);
    const filter = problems.length === 0 && isObject(value) ? value : item.filter;
    change(path, () => ({ kind: 'raw', filter, text }));
  };
  return (
    <div className={styles.raw}>
      <Field label={t('find.raw')} error={problem === undefined ? notFilter : t(`find.json_${problem.kind}`)}>
        {control => (
          <TextArea
            {...control}
            className={styles.code}
            spellCheck={false}
            rows={Math.min(10, text.split('\n').length)}
            value={text}
            onChange={event => write(event.target.value)}
          />
        )}
      </Field>
    </div>
  );
}
