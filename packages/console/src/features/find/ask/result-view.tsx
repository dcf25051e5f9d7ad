import { language, t } from '../../../i18n/language.js';
import { withoutNoise } from '../../../values/numbers-by-locale.js';
import styles from './ask.module.css';
import type { Result } from './plan.js';

/** Rows that are shown. The answer may have a thousand. */
const MAX_ROWS = 100;
const MAX_CHARACTERS = 200;
const EXACT = new Intl.NumberFormat(language(), { maximumFractionDigits: 20, useGrouping: false });

/** A figure, or a table. */
export function ResultView({ result }: { readonly result: Result }) {
  if ('figure' in result) return <p className={styles.figure}>{result.figure.toLocaleString(language())}</p>;
  const { names, rows } = result;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by the keyboard */}
      <section className={styles.scroll} tabIndex={0} aria-label={t('find.resultTable')}>
        <table className={styles.table}>
          <thead>
            <tr>
              {names.map(name => (
                <th key={name} scope="col" data-number={typeof rows[0]?.[name] === 'number'}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MAX_ROWS).map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows do not move
              <tr key={index}>
                {names.map(name => (
                  <td key={name} data-number={typeof row[name] === 'number'}>
                    {shown(row[name])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {rows.length > MAX_ROWS && <p className={styles.quiet}>{t('find.rowsShown', { count: MAX_ROWS })}</p>}
    </>
  );
}

function shown(value: unknown): string {
  if (value === undefined) return '';
  // A number may be a year, in which nobody groups the digits.
  if (typeof value === 'number') return EXACT.format(withoutNoise(value));
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}
