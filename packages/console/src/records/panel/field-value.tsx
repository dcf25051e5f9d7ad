import { language } from '../../i18n/language.js';
import { formatInstant } from '../../values/instant.js';
import { CellContent } from '../grid/table/cell-content.js';
import { cellValue, type FieldType, wholeText } from '../values/cell-value.js';
import type { GridRecord } from '../window/page-slot.js';
import { LongText } from './long-text.js';
import styles from './panel.module.css';

interface FieldValueProps {
  readonly record: GridRecord;
  readonly name: string;
  readonly type: FieldType;
}

/** The whole value of a field, by its type. */
export function FieldValue({ record, name, type }: FieldValueProps) {
  const value = record[name];
  const short = cellValue(record, name, type, language());
  if (short.kind === 'null' || short.kind === 'absent' || short.kind === 'empty') {
    return <CellContent value={short} />;
  }
  if (short.kind === 'datetime' && typeof value === 'string') {
    return (
      <>
        <time dateTime={value}>{formatInstant(value, language())}</time>
        <span className={styles.raw}>{value}</span>
      </>
    );
  }
  const isCode = short.kind === 'json';
  return (
    <LongText text={wholeText(value, 2)} isCode={isCode} fileName={`${name}.${isCode ? 'json' : 'txt'}`} />
  );
}
