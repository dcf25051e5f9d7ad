import { useState } from 'react';
import { t } from '../../../i18n/language.js';
import { Code } from '../../../ui/controls/code.js';
import { Select } from '../../../ui/controls/field.js';
import { linesOf } from './lines.js';

const KINDS = [
  { kind: 'curl', label: 'curl' },
  { kind: 'typescript', label: 'TypeScript' },
  { kind: 'cli', label: 'tcol' },
] as const;

/** The same two steps in the language that the person chooses. */
export function ApiLines() {
  const [kind, setKind] = useState<(typeof KINDS)[number]['kind']>('curl');
  return (
    <>
      <p>{t('collections.wayApiText')}</p>
      <Select
        aria-label={t('collections.wayApiLanguage')}
        value={kind}
        onChange={({ target }) => setKind(KINDS.find(each => each.kind === target.value)?.kind ?? 'curl')}
      >
        {KINDS.map(each => (
          <option key={each.kind} value={each.kind}>
            {each.label}
          </option>
        ))}
      </Select>
      <Code text={linesOf(location.origin)[kind]} label={t('collections.wayApi')} />
    </>
  );
}
