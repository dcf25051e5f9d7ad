import type { Answer } from '@typed-collections/client';
import { language, t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import type { Columns } from '../../../values/field-types.js';
import { withoutNoise } from '../../../values/numbers-by-locale.js';
import { describe } from '../builder/describe.js';
import { fromFilter } from '../model/from-filter.js';
import styles from './ask.module.css';
import { type Plan, planOf, type Result, resultOf, shownBy } from './plan.js';

interface AnswerViewProps {
  readonly answer: Answer;
  /** `builtin` rules, or the name of a model; undefined while it is not known. */
  readonly model: string | undefined;
  readonly columns: Columns;
  /** Shows the records of the plan in the grid. */
  readonly onShow: (plan: Plan) => void;
}

/** The answer in words, its result, and the read that produced it. A refusal has the hint of the service. */
export function AnswerView({ answer, model, columns, onShow }: AnswerViewProps) {
  const plan = planOf(answer.plan);
  const result = resultOf(answer.data);
  return (
    <section className={styles.answer} aria-label={t('find.answer')} data-refused={plan === undefined}>
      {plan === undefined && <h3>{t('find.noAnswer')}</h3>}
      <p className={styles.sentence}>{answer.answer}</p>
      {plan !== undefined && (
        <>
          {plan.operation === 'query' ? (
            <p className={styles.quiet}>{t('find.shownInGrid')}</p>
          ) : (
            result !== undefined && <ResultView result={result} />
          )}
          {plan.operation !== 'query' && shownBy(plan) !== undefined && (
            <Button onClick={() => onShow(plan)}>{t('find.showRecords')}</Button>
          )}
          <PlanView plan={plan} json={answer.plan} columns={columns} />
          <p className={styles.quiet}>
            {model !== undefined && (model === 'builtin' ? t('find.byRules') : t('find.byModel', { model }))}
          </p>
        </>
      )}
    </section>
  );
}

interface PlanViewProps {
  readonly plan: Plan;
  readonly json: unknown;
  readonly columns: Columns;
}

/** The read in words and as JSON. */
function PlanView({ plan, json, columns }: PlanViewProps) {
  return (
    <div className={styles.plan}>
      <h3>{t('find.plan')}</h3>
      <ul>
        {linesOf(plan, columns).map(line => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <details>
        <summary>{t('find.showPlan')}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by the keyboard */}
        <section className={styles.json} tabIndex={0} aria-label={t('find.plan')}>
          <pre>{JSON.stringify(json, null, 2)}</pre>
        </section>
      </details>
    </div>
  );
}

function linesOf(plan: Plan, columns: Columns): readonly string[] {
  const { filter = {}, sort = {}, group_by = [], steps = [], limit } = plan;
  const computed = steps
    .map(({ type, input_field }) => (input_field === undefined ? type : `${type}(${input_field})`))
    .join(', ');
  const lines = [t(`find.plan_${plan.operation}`, { field: plan.field ?? '', steps: computed })];
  if (Object.keys(filter).length > 0) {
    lines.push(t('find.planFilter', { text: describe(fromFilter(filter), columns) }));
  }
  const groups = [group_by].flat();
  if (groups.length > 0) lines.push(t('find.planGroup', { text: groups.join(', ') }));
  const sorted = Object.entries(sort).map(([field, direction]) =>
    direction === -1 ? t('find.descending', { field }) : field,
  );
  if (sorted.length > 0) lines.push(t('find.planSort', { text: sorted.join(', ') }));
  if (limit !== undefined) lines.push(t('find.planLimit', { count: limit }));
  return lines;
}

/** Rows that are shown. The answer may have a thousand. */
const MAX_ROWS = 100;
const MAX_CHARACTERS = 200;
const EXACT = new Intl.NumberFormat(language(), { maximumFractionDigits: 20, useGrouping: false });

/** A figure, or a table. */
function ResultView({ result }: { readonly result: Result }) {
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
