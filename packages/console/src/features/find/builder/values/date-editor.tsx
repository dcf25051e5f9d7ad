import { CalendarClock } from 'lucide-react';
import { useState } from 'react';
import { t } from '../../../../i18n/language.js';
import { IconButton } from '../../../../ui/controls/button.js';
import { Input, Select } from '../../../../ui/controls/field.js';
import { Menu, MenuItem } from '../../../../ui/overlays/menu.js';
import { clockOf, instantOf, PRESETS, presetValue, type Zone } from '../../../../values/dates.js';
import styles from '../builder.module.css';
import { useDraft } from '../use-draft.js';

interface DateEditorProps {
  readonly label: string;
  readonly type: 'date' | 'datetime';
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** A day, or an instant as clocks of a zone show it. Dates that are counted from now are written as fixed ones. */
export function DateEditor({ label, type, value, onChange }: DateEditorProps) {
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
        <Select
          aria-label={t('find.zone')}
          className={styles.zone}
          value={zone}
          onChange={event => setZone(event.target.value as Zone)}
        >
          <option value="local">{Intl.DateTimeFormat().resolvedOptions().timeZone}</option>
          <option value="utc">{t('find.zoneUtc')}</option>
        </Select>
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
