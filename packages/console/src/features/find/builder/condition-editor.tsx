import { t } from '../../../i18n/language.js';
import { ChoiceList } from '../../../ui/controls/field.js';
import { CHOOSABLE, type Columns, columnType, type FieldType } from '../../../values/field-types.js';
import {
  type Choice,
  choiceOf,
  choicesFor,
  fitted,
  withChoice,
  withField,
  withType,
} from '../model/choices.js';
import type { Path } from '../model/edit.js';
import type { Condition, Elements } from '../model/model.js';
import { typeOf } from '../model/model.js';
import styles from './builder.module.css';
import { useBuilder } from './builder-context.js';
import { FieldPicker } from './field-picker.js';
import { textOfChoice } from './values/choice-text.js';
import { ValueEditor } from './values/value-editor.js';

interface ConditionEditorProps {
  readonly item: Condition | Elements;
  readonly path: Path;
  readonly ofValues: boolean | undefined;
  readonly inElement: boolean | undefined;
}

const NO_COLUMNS: Columns = {};

/** Field, operator and value of one condition. */
export function ConditionEditor({ item, path, ofValues, inElement }: ConditionEditorProps) {
  const builder = useBuilder();
  const columns = ofValues || inElement ? NO_COLUMNS : builder.columns;
  const change = (next: Condition | Elements) => builder.change(path, () => next);
  const choices = choicesFor(item, columns);
  const choice = choiceOf(item, columns);
  const byKey = (key: string) => choices.find(each => keyOf(each) === key) ?? choice;
  const isOpen = columnType(item.field, columns) === undefined;
  return (
    <>
      {ofValues ? (
        <span className={styles.element}>{t('find.element')}</span>
      ) : (
        <FieldPicker
          field={item.field}
          columns={columns}
          fields={inElement ? [] : builder.fields}
          onChange={field => change(withField(item, field, columns))}
          onSearch={inElement ? undefined : () => builder.change(path, () => ({ kind: 'search', text: '' }))}
        />
      )}
      {isOpen && item.kind === 'condition' && (
        <TypePicker
          type={typeOf(item, columns)}
          onChange={type => change(fitted(withType(item, type, columns), columns))}
        />
      )}
      <ChoiceList
        aria-label={t('find.operator')}
        className={styles.operator}
        choices={choices.map(keyOf)}
        textOf={key => textOfChoice(byKey(key))}
        value={keyOf(choice)}
        onChange={key => change(withChoice(item, byKey(key), columns))}
      />
      {item.kind === 'condition' ? (
        <ValueEditor
          shape={choice.shape}
          type={typeOf(item, columns)}
          value={item.value}
          onChange={value => change({ ...item, value })}
        />
      ) : (
        <ElementsEditor item={item} path={path} />
      )}
    </>
  );
}

/** Choices that the table does not have are the negation of one of it. */
const keyOf = ({ id, not, operator }: Choice) => `${id}:${not ?? ''}:${operator}`;

function TypePicker({
  type,
  onChange,
}: {
  readonly type: FieldType;
  readonly onChange: (type: FieldType) => void;
}) {
  const types: readonly FieldType[] = (CHOOSABLE as readonly FieldType[]).includes(type)
    ? CHOOSABLE
    : [type, ...CHOOSABLE];
  return (
    <ChoiceList
      aria-label={t('find.type')}
      className={styles.type}
      value={type}
      onChange={each => onChange(each)}
      choices={types}
      textOf={each => t(`find.type_${each}`)}
    />
  );
}

/** The conditions on one element of a list. */
function ElementsEditor({ item, path }: { readonly item: Elements; readonly path: Path }) {
  const { change, renderGroup } = useBuilder();
  const choose = (of: Elements['of']) =>
    change(path, () => ({ ...item, of, group: { kind: 'group', mode: 'all', items: [] } }));
  return (
    <div className={styles.nested}>
      <ChoiceList<Elements['of']>
        aria-label={t('find.elementsOf')}
        choices={['values', 'objects']}
        textOf={of => t(`find.elements_${of}`)}
        value={item.of}
        onChange={choose}
      />
      {renderGroup({
        group: item.group,
        path,
        ofValues: item.of === 'values',
        inElement: item.of === 'objects',
        isFixed: true,
      })}
    </div>
  );
}
