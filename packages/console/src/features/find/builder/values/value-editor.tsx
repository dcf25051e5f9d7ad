import { Plus, X } from 'lucide-react';
import { t } from '../../../../i18n/language.js';
import { Button, IconButton } from '../../../../ui/controls/button.js';
import { Check } from '../../../../ui/controls/check-list.js';
import { ChoiceList, Input } from '../../../../ui/controls/field.js';
import { type FieldType, initialValue, parseValue, textOf } from '../../../../values/field-types.js';
import { writtenLocale } from '../../../../values/written-locale.js';
import { type Shape, TYPE_NAMES } from '../../model/choices.js';
import type { Pattern } from '../../model/model.js';
import { patternValue } from '../../model/pattern.js';
import styles from '../builder.module.css';
import { useDraft } from '../use-draft.js';
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
    <ChoiceList
      aria-label={t('find.value')}
      value={value}
      onChange={name => onChange(name)}
      choices={names}
    />
  );
}

interface ListEditorProps {
  readonly type: FieldType;
  readonly values: readonly unknown[];
  readonly onChange: (values: readonly unknown[]) => void;
}

/** Values that have an editor each. More of them are kept as they are. */
const MAX_SHOWN = 50;

/** A list of values. Lines that are pasted become a value each. */
function ListEditor({ type, values, onChange }: ListEditorProps) {
  const element = type === 'array' ? 'text' : type;
  const shown = values.slice(0, MAX_SHOWN);
  const paste = (index: number) => (text: string) => {
    const pasted = text.split(/\r?\n|\t/).filter(line => line !== '');
    const parsed = pasted.map(line => parseValue(element, line, writtenLocale()));
    if (pasted.length < 2 || parsed.includes(undefined)) return false;
    onChange(values.toSpliced(index, 1, ...parsed));
    return true;
  };
  return (
    <ul className={styles.list}>
      {shown.map((value, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a value is its place
        <li key={index} className={styles.listItem}>
          <OneEditor
            label={t('find.valueAt', { place: index + 1 })}
            type={element}
            value={value}
            onChange={next => onChange(values.with(index, next))}
            onPaste={paste(index)}
          />
          <IconButton
            label={t('find.removeValue', { place: index + 1 })}
            icon={<X size={14} aria-hidden />}
            onClick={() => onChange(values.toSpliced(index, 1))}
          />
        </li>
      ))}
      {values.length > shown.length && (
        <li className={styles.quiet}>{t('find.moreValues', { count: values.length - shown.length })}</li>
      )}
      <li>
        <Button
          look="plain"
          icon={<Plus size={16} aria-hidden />}
          onClick={() =>
            onChange([...values, initialValue(element) ?? (element === 'text' ? '' : undefined)])
          }
        >
          {t('find.addValue')}
        </Button>
      </li>
    </ul>
  );
}
