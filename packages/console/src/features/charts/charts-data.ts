import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { PreconditionFailedError } from '@typed-collections/client';
import { client } from '../../api/client.js';
import type { ChartsChange, StoredCharts } from './model/changed-charts.js';
import type { Chart } from './model/chart.js';
import { type Ask, readChart } from './model/read-chart.js';

/** The charts of a collection, and the entity tag with which they may be replaced. */
export interface SavedCharts {
  readonly charts: StoredCharts;
  readonly etag: string;
}

export const chartsQuery = (collection: string) =>
  queryOptions({
    queryKey: ['charts', collection],
    queryFn: ({ signal }) => readCharts(collection, signal),
  });

async function readCharts(collection: string, signal?: AbortSignal): Promise<SavedCharts> {
  return send(collection, { method: 'GET', signal });
}

async function send(collection: string, request: Omit<Sent, 'path'>): Promise<SavedCharts> {
  const path = `/v1/collections/${encodeURIComponent(collection)}/charts`;
  const { data, headers } = await client.transport.send<{ charts: StoredCharts }>({ path, ...request });
  return { charts: data.charts, etag: headers.get('etag') ?? '' };
}

type Sent = Parameters<typeof client.transport.send>[0];

/** Somebody else saved the charts after they were read here. Nothing was saved. */
export class ChartsConflict extends Error {
  constructor(
    readonly before: SavedCharts,
    readonly theirs: SavedCharts,
    readonly change: ChartsChange,
  ) {
    super('The charts were saved by somebody else.');
  }
}

export interface ChartsSave {
  /** The charts as the person saw them. */
  readonly base: SavedCharts;
  readonly change: ChartsChange;
}

/** Saves a change of the charts. Fails with a `ChartsConflict` if somebody else was faster. */
export function useSaveCharts(collection: string) {
  const queries = useQueryClient();
  const { queryKey } = chartsQuery(collection);
  return useMutation({
    mutationFn: async ({ base, change }: ChartsSave): Promise<SavedCharts> => {
      const charts = change(base.charts);
      try {
        return await send(collection, { method: 'PUT', body: { charts }, ifMatch: base.etag });
      } catch (error) {
        if (!(error instanceof PreconditionFailedError)) throw error;
        const theirs = await readCharts(collection);
        // The response of an attempt before was lost: it has saved these charts.
        if (JSON.stringify(theirs.charts) === JSON.stringify(charts)) return theirs;
        throw new ChartsConflict(base, theirs, change);
      }
    },
    onSuccess: saved => queries.setQueryData(queryKey, saved),
  });
}

/** Runs at most `size` works at a time; the others wait in order. A work whose signal aborts while it waits never starts. */
class Limiter {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(size: number) {
    this.free = size;
  }

  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>(resolve => this.waiting.push(resolve));
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free += 1;
      else next();
    }
  }
}

/** Requests for figures of charts at a time, so that a page of charts does not keep others waiting. */
const requests = new Limiter(4);

/** The figures of a chart. Charts that compute the same share them. */
export const chartDataQuery = (collection: string, chart: Chart, asOf: string | undefined) => {
  const { aggregate, every } = chart;
  return queryOptions({
    queryKey: ['chart-data', collection, aggregate, every, asOf],
    queryFn: ({ signal }) => {
      const ask: Ask = body =>
        requests.run(() => client.collection(collection).aggregate(body as never, { asOf, signal }), signal);
      return readChart(chart, ask);
    },
    staleTime: 60_000,
  });
};

/** The number of distinct values of a column. */
export async function countDistinct(
  collection: string,
  column: string,
  signal: AbortSignal,
): Promise<number> {
  const steps = [{ type: 'count_distinct', input_field: column, output_field: 'count' }] as const;
  const [row] = await requests.run(
    () => client.collection(collection).aggregate({ steps }, { signal }),
    signal,
  );
  return row?.count ?? 0;
}
