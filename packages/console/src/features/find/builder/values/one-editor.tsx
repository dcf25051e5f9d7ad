import { CalendarClock } from 'lucide-react';
import { useId, useState } from 'react';
import { t } from '../../../../i18n/language.js';
import { IconButton } from '../../../../ui/controls/button.js';
import { ChoiceList, Input, TextArea } from '../../../../ui/controls/field.js';
import { Menu, MenuItem } from '../../../../ui/overlays/menu.js';
import { clockOf, instantOf, PRESETS, presetValue, type Zone } from '../../../../values/dates.js';
import { type FieldType, fits, parseValue, textOf } from '../../../../values/field-types.js';
import { writtenLocale } from '../../../../values/written-locale.js';
import styles from '../builder.module.css';
import { useBuilder } from '../builder-context.js';
import { useDraft } from '../use-draft.js';

interface OneEditorProps {
  readonly label: string;
  readonly type: FieldType;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly onPaste?: (text: string) => boolean;
}

/** One value of a type. A value of another type is shown as JSON, so that nothing changes it by accident. */
export function OneEditor({ label, type, value, onChange, onPaste }: OneEditorProps) {
  if (value !== undefined && !fits(type, value)) {
    return <JsonInput label={label} value={value} onChange={onChange} />;
  }
  switch (type) {
    case 'boolean':
      return (
        <ChoiceList
          aria-label={label}
          className={styles.value}
          choices={['true', 'false']}
          textOf={text => t(text === 'true' ? 'find.yes' : 'find.no')}
          value={String(value)}
          onChange={text => onChange(text === 'true')}
        />
      );
    case 'date':
    case 'datetime':
      return <DateEditor label={label} type={type} value={value as string | undefined} onChange={onChange} />;
    case 'json':
      return <JsonInput label={label} value={value} onChange={onChange} />;
    default:
      return <LineInput label={label} type={type} value={value} onChange={onChange} onPaste={onPaste} />;
  }
}

/** A text or a number. */
function LineInput({ label, type, value, onChange, onPaste }: OneEditorProps) {
  const isNumber = type === 'integer' || type === 'double';
  const builder = useBuilder();
  const variables = isNumber ? [] : builder.variables;
  const suggestions = useId();
  const [text, enter] = useDraft(
    value,
    value => textOf(type, value),
    text => parseValue(type, text, writtenLocale()),
  );
  return (
    <>
      <Input
        aria-label={label}
        aria-invalid={isNumber && text !== '' && value === undefined}
        className={styles.value}
        inputMode={isNumber ? 'decimal' : 'text'}
        autoComplete="off"
        spellCheck={false}
        list={variables.length > 0 ? suggestions : undefined}
        value={text}
        onChange={event => onChange(enter(event.target.value))}
        onPaste={event => {
          if (onPaste?.(event.clipboardData.getData('text'))) event.preventDefault();
        }}
      />
      {variables.length > 0 && (
        <datalist id={suggestions}>
          {variables.map(variable => (
            <option key={variable} value={variable} />
          ))}
        </datalist>
      )}
    </>
  );
}

function JsonInput({ label, value, onChange }: Pick<OneEditorProps, 'label' | 'value' | 'onChange'>) {
  const [text, enter] = useDraft(
    value,
    value => (value === undefined ? '' : JSON.stringify(value)),
    text => parseValue('json', text, writtenLocale()),
  );
  return (
    <TextArea
      aria-label={`${label} (JSON)`}
      aria-invalid={text !== '' && value === undefined}
      className={`${styles.value} ${styles.code} ${styles.json}`}
      rows={1}
      spellCheck={false}
      value={text}
      onChange={event => onChange(enter(event.target.value))}
    />
  );
}

interface DateEditorProps {
  readonly label: string;
  readonly type: 'date' | 'datetime';
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** A day, or an instant as clocks of a zone show it. Dates that are counted from now are written as fixed ones. */
function DateEditor({ label, type, value, onChange }: DateEditorProps) {
  const [zone, setZone] = useState<Zone>('local');
  const isInstant = type === 'datetime';
  // What is typed stays as it is: a clock that is read back from an instant can be another one.
  const [clock, enter] = useDraft(
    value,
    value => (typeof value !== 'string' ? '' : isInstant ? clockOf(value, zone) : value),
    text => (isInstant ? instantOf(text, zone) : text) || undefined,
  );
  return (
    <span className={styles.date}>
      <Input
        aria-label={label}
        className={styles.value}
        type={isInstant ? 'datetime-local' : 'date'}
        step={isInstant ? 1 : undefined}
        min="0001-01-01"
        max={isInstant ? '9999-12-31T23:59:59' : '9999-12-31'}
        value={clock}
        onChange={event => onChange(enter(event.target.value) as string | undefined)}
      />
      {isInstant && (
        <ChoiceList<Zone>
          aria-label={t('find.zone')}
          className={styles.zone}
          choices={['local', 'utc']}
          textOf={each =>
            each === 'utc' ? t('find.zoneUtc') : Intl.DateTimeFormat().resolvedOptions().timeZone
          }
          value={zone}
          onChange={setZone}
        />
      )}
      <Menu trigger={<IconButton label={t('find.presets')} icon={<CalendarClock size={16} aria-hidden />} />}>
        {PRESETS.filter(preset => isInstant || preset !== 'now').map(preset => (
          <MenuItem key={preset} onSelect={() => onChange(presetValue(preset, type, zone, new Date()))}>
            {t(`find.preset_${preset}`)}
          </MenuItem>
        ))}
      </Menu>
    </span>
  );
}
