import { language, t } from '../../../i18n/language.js';
import type { ChartType } from '../model/chart.js';
import type { Plot, Words } from '../model/series.js';

/** The words that charts have for values without a text. */
export function words(): Words {
  return {
    language: language(),
    none: t('charts.none'),
    empty: t('charts.emptyText'),
    all: t('charts.allRecords'),
  };
}

/** A number as a reader wants it: at most two decimals, more for small ones. */
export function valueText(value: number | null): string {
  if (value === null) return '–';
  const digits =
    Math.abs(value) >= 1 || value === 0 ? { maximumFractionDigits: 2 } : { maximumSignificantDigits: 3 };
  return new Intl.NumberFormat(language(), digits).format(value);
}

/** A number on an axis, short. */
export function tickText(value: number): string {
  return new Intl.NumberFormat(language(), { notation: 'compact', maximumFractionDigits: 2 }).format(value);
}

export function shareText(share: number): string {
  return new Intl.NumberFormat(language(), { style: 'percent', maximumFractionDigits: 1 }).format(share);
}

/** What a group shows: its name, and the value of each series. */
export function groupText(plot: Plot, index: number): string {
  const values = plot.series.map(({ name, values }) =>
    plot.series.length === 1
      ? valueText(values[index] ?? null)
      : `${name} ${valueText(values[index] ?? null)}`,
  );
  return `${plot.categories[index]?.name ?? ''}: ${values.join(', ')}`;
}

/** The drawing in words: its kind, its extent, the highest and the lowest value. */
export function summaryOf(plot: Plot, type: ChartType, title: string): string {
  const { categories, series } = plot;
  const all = series.flatMap(({ name, values }) =>
    values.flatMap((value, index) =>
      value === null
        ? []
        : [
            {
              value,
              name: [categories[index]?.name, series.length > 1 ? name : ''].filter(Boolean).join(' · '),
            },
          ],
    ),
  );
  if (all.length === 0) return title;
  const highest = all.reduce((best, each) => (each.value > best.value ? each : best));
  const lowest = all.reduce((best, each) => (each.value < best.value ? each : best));
  return t('charts.summary', {
    title,
    type: t(`charts.${type}`),
    count: categories.length,
    first: categories[0]?.name ?? '',
    last: categories.at(-1)?.name ?? '',
    highest: `${highest.name} ${valueText(highest.value)}`,
    lowest: `${lowest.name} ${valueText(lowest.value)}`,
  });
}
