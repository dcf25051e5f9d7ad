import { isInstant } from '../../records/grid/search.js';
import { type Chart, type ChartFilter, chartOf, isObject } from './model/chart.js';

/** What the address of the charts page says about it. */
export interface ChartsSearch {
  /** The chart in the editor as it is now. It is not saved yet, so a link to it shows it to others too. */
  readonly draft?: Chart;
  /** A filter of the filter language: the editor opens with a new chart of these records. */
  readonly filter?: ChartFilter;
  /** The charts show the records as they were at this instant; without it as they are. */
  readonly as_of?: string;
}

export function chartsSearch({ draft, filter, as_of: asOf }: Record<string, unknown>): ChartsSearch {
  const chart = chartOf(draft);
  return {
    ...(chart !== undefined && { draft: chart }),
    ...(isObject(filter) && { filter }),
    ...(isInstant(asOf) && { as_of: asOf }),
  };
}
