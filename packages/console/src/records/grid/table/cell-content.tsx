import { language, t } from '../../../i18n/language.js';
import { type CellKind, type CellValue, cellValue } from '../../values/cell-value.js';
import styles from './cells.module.css';

/** What stands for a value that is not there, for the eye and for screen readers. */
const MISSING = {
  null: ['null', 'records.valueNull'],
  absent: ['—', 'records.valueAbsent'],
  empty: ['""', 'records.valueEmpty'],
} as const;

function isMissing(kind: CellKind): kind is keyof typeof MISSING {
  return kind in MISSING;
}

/** The value of a cell. Null, an absent field and an empty text look and sound different. */
export function CellContent({ value }: { readonly value: CellValue }) {
  const { kind, text, isCut } = value;
  if (isMissing(kind)) {
    const [sign, name] = MISSING[kind];
    return (
      <span className={styles.missing} title={t(name)}>
        <span aria-hidden>{sign}</span>
        <span className="visually-hidden">{t(name)}</span>
      </span>
    );
  }
  return (
    <span className={`${styles.text} ${kind === 'json' ? styles.json : ''}`}>
      {text}
      {isCut && (
        <span className={styles.cut}>
          <span aria-hidden>…</span>
          <span className="visually-hidden">{t('records.valueCut')}</span>
        </span>
      )}
    </span>
  );
}

/** The beginning of a value. `undefined` is an absent field. */
export function ShortValue({ value }: { readonly value: unknown }) {
  const record = { _id: '', ...(value !== undefined && { value }) };
  return <CellContent value={cellValue(record, 'value', 'flexible', language())} />;
}
