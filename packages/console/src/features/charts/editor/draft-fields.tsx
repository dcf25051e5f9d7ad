import type { ReactNode } from 'react';
import { t } from '../../../i18n/language.js';
import { Field, Select, TextField } from '../../../ui/controls/field.js';
import styles from '../charts.module.css';
import { FIGURES, type Figure, PERIODS, type Period } from '../model/chart.js';
import {
  chartFrom,
  columnsFor,
  type Draft,
  hasPeriods,
  isTime,
  ORDERS,
  type Order,
  type problemOf,
  typesFor,
} from '../model/draft.js';
import type { ColumnTypes } from '../model/read-chart.js';

interface DraftFieldsProps {
  readonly draft: Draft;
  readonly types: ColumnTypes;
  readonly problem: ReturnType<typeof problemOf>;
  readonly onChange: (changed: Partial<Draft>) => void;
}

/** What a chart computes, by which column, and how it is drawn. */
export function DraftFields({ draft, types, problem, onChange }: DraftFieldsProps) {
  const withPeriods = hasPeriods(draft, types);
  const isRanked = draft.group !== '' && !withPeriods && draft.split === '';
  const figures = columnsFor(draft.figure, types);
  const changeFigure = (figure: Figure) => {
    const isKept = columnsFor(figure, types).includes(draft.column);
    onChange({ figure, ...((!isKept || figure === 'count') && { column: '' }) });
  };
  // A line over periods is the natural drawing, bars for other groups; one figure alone is a number.
  const changeGroup = (group: string) =>
    onChange({
      group,
      ...(group === '' && { split: '', type: 'number' as const }),
      ...(group !== '' && draft.type === 'number' && { type: isTime(types[group]) ? 'line' : 'bar' }),
    });
  return (
    <>
      <TextField
        label={t('charts.chartTitle')}
        value={draft.title}
        maxLength={200}
        onChange={title => onChange({ title })}
      />
      <div className={styles.pair}>
        <Choice
          label={t('charts.figure')}
          value={draft.figure}
          onChange={value => changeFigure(value as Figure)}
        >
          {FIGURES.map(figure => (
            <option key={figure} value={figure}>
              {t(`charts.figure_${figure}`)}
            </option>
          ))}
        </Choice>
        {draft.figure !== 'count' && (
          <Choice
            label={t('charts.ofColumn')}
            value={draft.column}
            error={problem === 'column' ? t('charts.needsColumn') : undefined}
            onChange={column => onChange({ column })}
          >
            <option value="">{t('charts.chooseColumn')}</option>
            {figures.map(column => (
              <option key={column}>{column}</option>
            ))}
          </Choice>
        )}
      </div>
      <div className={styles.pair}>
        <Choice label={t('charts.groupBy')} value={draft.group} onChange={changeGroup}>
          <option value="">{t('charts.noGroup')}</option>
          {groupable(types).map(column => (
            <option key={column}>{column}</option>
          ))}
        </Choice>
        {withPeriods && (
          <Choice
            label={t('charts.period')}
            value={draft.every}
            onChange={every => onChange({ every: every as Period })}
          >
            {PERIODS.map(period => (
              <option key={period} value={period}>
                {t(`charts.period_${period}`)}
              </option>
            ))}
          </Choice>
        )}
        {draft.group !== '' && (
          <Choice label={t('charts.splitBy')} value={draft.split} onChange={split => onChange({ split })}>
            <option value="">{t('charts.noSplit')}</option>
            {groupable(types)
              .filter(column => column !== draft.group && !isTime(types[column]))
              .map(column => (
                <option key={column}>{column}</option>
              ))}
          </Choice>
        )}
      </div>
      {isRanked && <Ranking draft={draft} problem={problem} onChange={onChange} />}
      <Choice
        label={t('charts.drawnAs')}
        value={chartFrom(draft, types, '').type}
        onChange={type => onChange({ type: type as Draft['type'] })}
      >
        {typesFor(draft, types).map(type => (
          <option key={type} value={type}>
            {t(`charts.${type}`)}
          </option>
        ))}
      </Choice>
    </>
  );
}

function Ranking({ draft, problem, onChange }: Omit<DraftFieldsProps, 'types'>) {
  return (
    <div className={styles.pair}>
      <Choice
        label={t('charts.order')}
        value={draft.order}
        onChange={order => onChange({ order: order as Order })}
      >
        {ORDERS.map(order => (
          <option key={order} value={order}>
            {t(
              `charts.order_${order.startsWith('-') ? 'down' : 'up'}_${order.endsWith('group') ? 'group' : 'figure'}`,
            )}
          </option>
        ))}
      </Choice>
      <TextField
        label={t('charts.limit')}
        hint={t('charts.limitHint')}
        error={problem === 'limit' ? t('charts.limitWrong') : undefined}
        inputMode="numeric"
        value={draft.limit}
        onChange={value => onChange({ limit: value.trim() })}
      />
    </div>
  );
}

function Choice({
  label,
  value,
  error,
  onChange,
  children,
}: {
  readonly label: string;
  readonly value: string;
  readonly error?: string | undefined;
  readonly onChange: (value: string) => void;
  readonly children: ReactNode;
}) {
  return (
    <Field label={label} error={error}>
      {control => (
        <Select {...control} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          {children}
        </Select>
      )}
    </Field>
  );
}

/** JSON and arrays make groups of whole values, which no axis can show. */
function groupable(types: ColumnTypes): string[] {
  return Object.keys(types).filter(name => types[name] !== 'json' && types[name] !== 'array');
}
