import { describe, expect, it } from 'vitest';
import type { Chart, ChartAggregate } from './chart.js';
import { MAX_PERIODS } from './periods.js';
import { type ChartRequest, MAX_GROUPS_READ, type ResultRow, readChart } from './read-chart.js';

const steps = [{ type: 'count', output_field: 'n' }] as const;
const chart = (aggregate: Partial<ChartAggregate>, every?: Chart['every']): Chart => ({
  id: 'a',
  title: 'A',
  type: 'bar',
  aggregate: { steps, ...aggregate },
  ...(every && { every }),
});

function answering(answer: (request: ChartRequest) => readonly ResultRow[]) {
  const asked: ChartRequest[] = [];
  const ask = async (request: ChartRequest) => {
    asked.push(request);
    return answer(request);
  };
  return { asked, ask };
}

describe('reading a chart', () => {
  it('asks once for groups of values, with a bound that tells whether there are more', async () => {
    const { asked, ask } = answering(({ limit = 0 }) =>
      Array.from({ length: limit }, (_, n) => ({ city: n, n: 1 })),
    );
    const data = await readChart(chart({ group_by: 'city' }), ask);
    expect(asked).toEqual([{ steps, group_by: 'city', limit: MAX_GROUPS_READ + 1 }]);
    expect(data.rows).toHaveLength(MAX_GROUPS_READ);
    expect(data.isCut).toBe(true);
  });

  it('asks as the chart says if it has a limit', async () => {
    const { asked, ask } = answering(() => [{ city: 'Bath', n: 1 }]);
    const aggregate = { steps, group_by: 'city', sort: { n: -1 }, limit: 3, filter: { x: 1 } } as const;
    expect((await readChart(chart(aggregate), ask)).isCut).toBe(false);
    expect(asked).toEqual([aggregate]);
  });

  it('asks once for the latest periods, and adds those without records', async () => {
    const { asked, ask } = answering(() => [
      { at: '2024-04-01', n: 7, avg: 2 },
      { at: '2024-02-01', n: 5, avg: 1 },
    ]);
    const figures = [...steps, { type: 'avg', input_field: 'x', output_field: 'avg' }] as const;
    const data = await readChart(chart({ group_by: 'at', filter: { x: 1 }, steps: figures }, 'month'), ask);
    expect(asked).toEqual([
      {
        steps: figures,
        group_by: [{ field: 'at', every: 'month' }],
        filter: { $and: [{ x: 1 }, { at: { $ne: null } }] },
        sort: { at: -1 },
        limit: MAX_GROUPS_READ + 1,
      },
    ]);
    expect(data).toEqual({
      rows: [
        { at: '2024-02-01T00:00:00.000Z', n: 5, avg: 1 },
        { at: '2024-03-01T00:00:00.000Z', n: 0, avg: null },
        { at: '2024-04-01T00:00:00.000Z', n: 7, avg: 2 },
      ],
      unit: 'month',
      starts: [1, 2, 3].map(month => Date.UTC(2024, month)),
      isCut: false,
    });
  });

  it('splits each period, and keeps only the latest periods', async () => {
    const days = Array.from({ length: 70 }, (_, n) =>
      new Date(Date.UTC(2024, 5, 1 - n)).toISOString().slice(0, 10),
    );
    const { asked, ask } = answering(() => days.map(day => ({ day, city: 'Bath', n: 1 })));
    const data = await readChart(chart({ group_by: ['day', 'city'] }, 'day'), ask);
    expect(asked[0]?.group_by).toEqual([{ field: 'day', every: 'day' }, 'city']);
    expect(data.rows).toHaveLength(MAX_PERIODS);
    expect(data.rows.at(-1)).toEqual({ day: '2024-06-01T00:00:00.000Z', city: 'Bath', n: 1 });
    expect(data.isCut).toBe(true);
  });

  it('leaves out the earliest period if not all of its groups were read', async () => {
    const { ask } = answering(({ limit = 0 }) =>
      Array.from({ length: limit }, (_, n) => ({ at: n < 600 ? '2024-02-01' : '2024-01-01', city: n, n: 1 })),
    );
    const data = await readChart(chart({ group_by: ['at', 'city'] }, 'month'), ask);
    expect([data.rows.length, data.starts, data.isCut]).toEqual([600, [Date.UTC(2024, 1)], true]);
  });

  it('asks for the first and the last instant before if the chart does not choose the periods', async () => {
    const { asked, ask } = answering(({ steps: [first] }) =>
      first?.output_field === 'first'
        ? [{ first: '2024-01-01T08:00:00.000Z', last: '2024-01-01T20:00:00.000Z' }]
        : [{ at: '2024-01-01T08:00:00.000Z', n: 7 }],
    );
    expect((await readChart(chart({ group_by: 'at' }, 'auto'), ask)).unit).toBe('hour');
    expect(asked[1]?.group_by).toEqual([{ field: 'at', every: 'hour' }]);
  });

  it('shows nothing if no record has a date', async () => {
    const none = answering(() => [{ first: null, last: null }]);
    expect((await readChart(chart({ group_by: 'at' }, 'auto'), none.ask)).rows).toEqual([]);
    const empty = answering(() => []);
    expect((await readChart(chart({ group_by: 'at' }, 'day'), empty.ask)).rows).toEqual([]);
  });
});
