import { type Chart, type ChartFilter, chartOf, isObject } from './model/chart.js';

/** What the address of the charts page says about it. */
export interface ChartsSearch {
  /** The chart in the editor as it is now. It is not saved yet, so a link to it shows it to others too. */
  readonly draft?: Chart;
  /** A filter of the filter language: the editor opens with a new chart of these records. */
  readonly filter?: ChartFilter;
}

export function chartsSearch({ draft, filter }: Record<string, unknown>): ChartsSearch {
  const chart = chartOf(draft);
  return {
    ...(chart !== undefined && { draft: chart }),
    ...(isObject(filter) && { filter }),
  };
}
