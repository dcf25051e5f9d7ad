import { t } from '../../i18n/language.js';
import { ChoiceField } from './field.js';

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
    <ChoiceField
      label={t('access.grace')}
      hint={hint}
      value={grace}
      onChange={each => onChange(each)}
      choices={Object.keys(GRACE_SECONDS) as Grace[]}
      textOf={each => t(`access.grace_${each}`)}
    />
  );
}
