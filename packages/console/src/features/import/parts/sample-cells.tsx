import { t } from '../../../i18n/language.js';
import type { SimpleColumn } from '../../../ui/data/simple-table.js';
import type { Samples } from '../file/head.js';
import styles from '../import.module.css';

const SHOWN_ROWS = 3;
const MAX_CHARACTERS = 60;

/** Columns of a table of fields with the values of the first rows. */
export function sampleColumns<Item>(
  { rows }: Samples,
  indexOf: (item: Item) => number,
): readonly SimpleColumn<Item>[] {
  return rows.slice(0, SHOWN_ROWS).map((row, at) => ({
    title: t('import.row', { row: at + 1 }),
    cell: item => <span className={styles.sample}>{shown(row[indexOf(item)])}</span>,
  }));
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '–';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}
