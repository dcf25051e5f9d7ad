import { t } from '../../../i18n/language.js';
import { ChoiceField, TextField } from '../../../ui/controls/field.js';
import styles from '../charts.module.css';
import { FIGURES, type Figure, PERIODS } from '../model/chart.js';
import {
  chartFrom,
  columnsFor,
  type Draft,
  hasPeriods,
  isTime,
  ORDERS,
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
        <ChoiceField
          label={t('charts.figure')}
          choices={FIGURES}
          textOf={figure => t(`charts.figure_${figure}`)}
          value={draft.figure}
          onChange={changeFigure}
        />
        {draft.figure !== 'count' && (
          <ChoiceField
            label={t('charts.ofColumn')}
            error={problem === 'column' ? t('charts.needsColumn') : undefined}
            choices={['', ...figures]}
            textOf={column => column || t('charts.chooseColumn')}
            value={draft.column}
            onChange={column => onChange({ column })}
          />
        )}
      </div>
      <div className={styles.pair}>
        <ChoiceField
          label={t('charts.groupBy')}
          choices={['', ...groupable(types)]}
          textOf={column => column || t('charts.noGroup')}
          value={draft.group}
          onChange={changeGroup}
        />
        {withPeriods && (
          <ChoiceField
            label={t('charts.period')}
            choices={PERIODS}
            textOf={period => t(`charts.period_${period}`)}
            value={draft.every}
            onChange={every => onChange({ every })}
          />
        )}
        {draft.group !== '' && (
          <ChoiceField
            label={t('charts.splitBy')}
            choices={[
              '',
              ...groupable(types).filter(column => column !== draft.group && !isTime(types[column])),
            ]}
            textOf={column => column || t('charts.noSplit')}
            value={draft.split}
            onChange={split => onChange({ split })}
          />
        )}
      </div>
      {isRanked && <Ranking draft={draft} problem={problem} onChange={onChange} />}
      <ChoiceField
        label={t('charts.drawnAs')}
        choices={typesFor(draft, types)}
        textOf={type => t(`charts.${type}`)}
        value={chartFrom(draft, types, '').type}
        onChange={type => onChange({ type })}
      />
    </>
  );
}

function Ranking({ draft, problem, onChange }: Omit<DraftFieldsProps, 'types'>) {
  return (
    <div className={styles.pair}>
      <ChoiceField
        label={t('charts.order')}
        choices={ORDERS}
        textOf={order =>
          t(
            `charts.order_${order.startsWith('-') ? 'down' : 'up'}_${order.endsWith('group') ? 'group' : 'figure'}`,
          )
        }
        value={draft.order}
        onChange={order => onChange({ order })}
      />
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

/** JSON and arrays make groups of whole values, which no axis can show. */
function groupable(types: ColumnTypes): string[] {
  return Object.keys(types).filter(name => types[name] !== 'json' && types[name] !== 'array');
}
