import { t } from '../../../../i18n/language.js';
import { Check } from '../../../../ui/controls/check-list.js';
import { Input, Select } from '../../../../ui/controls/field.js';
import { type FieldType, parseValue, textOf } from '../../../../values/field-types.js';
import { writtenLocale } from '../../../../values/written-locale.js';
import { type Shape, TYPE_NAMES } from '../../model/choices.js';
import type { Pattern } from '../../model/model.js';
import { patternValue } from '../../model/pattern.js';
import styles from '../builder.module.css';
import { useDraft } from '../use-draft.js';
import { ListEditor } from './list-editor.js';
import { OneEditor } from './one-editor.js';

interface ValueEditorProps {
  readonly shape: Shape;
  readonly type: FieldType;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** The value of a condition, in the form that its operator takes. */
export function ValueEditor({ shape, type, value, onChange }: ValueEditorProps) {
  switch (shape) {
    case 'one':
      return <OneEditor label={t('find.value')} type={type} value={value} onChange={onChange} />;
    case 'list':
      return <ListEditor type={type} values={value as readonly unknown[]} onChange={onChange} />;
    case 'text':
      return <OneEditor label={t('find.value')} type="text" value={value} onChange={onChange} />;
    case 'count':
      return <OneEditor label={t('find.value')} type="integer" value={value} onChange={onChange} />;
    case 'bits':
      return <BitsEditor value={value} onChange={onChange} />;
    case 'mod':
      return <ModEditor value={value as readonly unknown[]} onChange={onChange} />;
    case 'pattern':
      return <PatternEditor value={value as Pattern} onChange={onChange} />;
    case 'typeName':
      return <TypeNameEditor value={String(value)} onChange={onChange} />;
    default:
      return null;
  }
}

type Part = Pick<ValueEditorProps, 'value' | 'onChange'>;

/** A mask, or a list of positions. */
function BitsEditor({ value, onChange }: Part) {
  const [text, type] = useDraft(
    value,
    value => textOf('json', value),
    text => parseValue('json', text, writtenLocale()),
  );
  return (
    <Input
      aria-label={t('find.value')}
      className={styles.value}
      placeholder="6, [1, 2]"
      value={text}
      onChange={event => onChange(type(event.target.value))}
    />
  );
}

function ModEditor({
  value: [divisor, remainder],
  onChange,
}: {
  readonly value: readonly unknown[];
  readonly onChange: Part['onChange'];
}) {
  return (
    <>
      <OneEditor
        label={t('find.divisor')}
        type="integer"
        value={divisor}
        onChange={value => onChange([value, remainder])}
      />
      <OneEditor
        label={t('find.remainder')}
        type="integer"
        value={remainder}
        onChange={value => onChange([divisor, value])}
      />
    </>
  );
}

function PatternEditor({
  value: { pattern, options = '' },
  onChange,
}: {
  readonly value: Pattern;
  readonly onChange: Part['onChange'];
}) {
  const ignoresCase = options.includes('i');
  return (
    <>
      <Input
        aria-label={t('find.pattern')}
        className={`${styles.value} ${styles.code}`}
        spellCheck={false}
        value={pattern}
        onChange={event => onChange(patternValue(event.target.value, options))}
      />
      <Check
        label={t('find.ignoreCase')}
        checked={ignoresCase}
        onChange={() =>
          onChange(patternValue(pattern, ignoresCase ? options.replaceAll('i', '') : `${options}i`))
        }
      />
    </>
  );
}

function TypeNameEditor({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: Part['onChange'];
}) {
  const names = TYPE_NAMES.includes(value) ? TYPE_NAMES : [value, ...TYPE_NAMES];
  return (
    <Select aria-label={t('find.value')} value={value} onChange={event => onChange(event.target.value)}>
      {names.map(name => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </Select>
  );
}
