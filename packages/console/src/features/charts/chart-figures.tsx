import { useQuery } from '@tanstack/react-query';
import { chartsRoute } from '../../api/routes.js';
import { ErrorBox, Loading } from '../../ui/states.js';
import { chartDataQuery } from './charts-data.js';
import { ChartDrawing } from './draw/chart-drawing.js';
import type { Chart } from './model/chart.js';

interface ChartFiguresProps {
  readonly collection: string;
  readonly chart: Chart;
  readonly asTable: boolean;
  /** False: nothing is requested yet. */
  readonly isSeen?: boolean;
  /** Milliseconds after which the figures are read again; false for never. */
  readonly every?: number | false;
}

/** Reads the figures of a chart and draws them. A refused chart shows why, in its own place. */
export function ChartFigures({
  collection,
  chart,
  asTable,
  isSeen = true,
  every = false,
}: ChartFiguresProps) {
  const { as_of: asOf } = chartsRoute.useSearch();
  const { data, error, refetch } = useQuery({
    ...chartDataQuery(collection, chart, asOf),
    enabled: isSeen,
    refetchInterval: every,
  });
  if (error !== null) return <ErrorBox error={error} onRetry={() => void refetch()} />;
  return data === undefined ? (
    <Loading lines={5} />
  ) : (
    <ChartDrawing chart={chart} data={data} asTable={asTable} />
  );
}
