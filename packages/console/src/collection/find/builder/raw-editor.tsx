import { useState } from 'react';
import { t } from '../../../i18n/language.js';
import { Field, TextArea } from '../../../ui/field.js';
import { parseJson } from '../editor/json-text.js';
import type { Path } from '../model/edit.js';
import { isObject, type JsonObject } from '../model/json.js';
import styles from './builder.module.css';
import { useBuilder } from './builder-context.js';

/** A part of the filter that the builder has no form for. It stays as it is until somebody writes other JSON. */
export function RawEditor({ filter, path }: { readonly filter: JsonObject; readonly path: Path }) {
  const { change } = useBuilder();
  const [text, setText] = useState(() => JSON.stringify(filter, null, 2));
  const { value, problems } = parseJson(text);
  const [problem] = problems;
  const error =
    problem !== undefined ? t(`find.json_${problem.kind}`) : isObject(value) ? '' : t('find.json_object');
  return (
    <div className={styles.raw}>
      <Field label={t('find.raw')} error={error === '' ? undefined : error}>
        {control => (
          <TextArea
            {...control}
            className={styles.code}
            spellCheck={false}
            rows={Math.min(10, text.split('\n').length)}
            value={text}
            onChange={event => {
              setText(event.target.value);
              const parsed = parseJson(event.target.value);
              if (parsed.problems.length === 0 && isObject(parsed.value)) {
                const next = parsed.value;
                change(path, () => ({ kind: 'raw', filter: next }));
              }
            }}
          />
        )}
      </Field>
    </div>
  );
}
