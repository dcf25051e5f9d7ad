import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { ChartFigures } from './chart-figures.js';
import styles from './charts.module.css';
import type { Chart } from './model/chart.js';
import type { ColumnTypes } from './model/read-chart.js';

interface SharedChartProps {
  readonly collection: string;
  readonly types: ColumnTypes;
  readonly chart: Chart;
  readonly onClose: () => void;
}

/** A chart of a link that has more than the editor can show, for example several figures. */
export function SharedChart({ collection, types, chart, onClose }: SharedChartProps) {
  return (
    <section className={styles.page}>
      <div className={styles.card}>
        <h2>{chart.title}</h2>
        <ChartFigures collection={collection} chart={chart} types={types} asTable={false} />
      </div>
      <div className={styles.buttons}>
        <Button onClick={onClose}>{t('common.close')}</Button>
      </div>
    </section>
  );
}
