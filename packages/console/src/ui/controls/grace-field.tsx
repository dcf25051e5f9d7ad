import { t } from '../../i18n/language.js';
import { Field, Select } from './field.js';

/** How long an old secret may go on, in seconds. */
export const GRACE_SECONDS = { none: 0, hour: 3_600, day: 86_400 } as const;
export type Grace = keyof typeof GRACE_SECONDS;
export const DEFAULT_GRACE: Grace = 'hour';

interface GraceFieldProps {
  readonly grace: Grace;
  readonly onChange: (grace: Grace) => void;
  readonly hint: string;
}

/** Chooses when the old secret ends. */
export function GraceField({ grace, onChange, hint }: GraceFieldProps) {
  return (
    <Field label={t('access.grace')} hint={hint}>
      {control => (
        <Select {...control} value={grace} onChange={({ target }) => onChange(target.value as Grace)}>
          {(Object.keys(GRACE_SECONDS) as Grace[]).map(each => (
            <option key={each} value={each}>
              {t(`access.grace_${each}`)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
