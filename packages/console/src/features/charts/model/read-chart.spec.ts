import { describe, expect, it } from 'vitest';
import type { Chart, ChartAggregate } from './chart.js';
import { Limiter } from './limiter.js';
import { MAX_GROUPS_READ, type ResultRow, readChart } from './read-chart.js';

const steps = [{ type: 'count', output_field: 'n' }] as const;
const chart = (aggregate: Partial<ChartAggregate>, every?: Chart['every']): Chart => ({
  id: 'a',
  title: 'A',
  type: 'bar',
  aggregate: { steps, ...aggregate },
  ...(every && { every }),
});

function answering(answer: (aggregate: ChartAggregate) => readonly ResultRow[]) {
  const asked: ChartAggregate[] = [];
  const ask = async (aggregate: ChartAggregate) => {
    asked.push(aggregate);
    return answer(aggregate);
  };
  return { asked, ask };
}

describe('reading a chart', () => {
  it('asks once for groups of values, with a bound that tells whether there are more', async () => {
    const { asked, ask } = answering(({ limit = 0 }) =>
      Array.from({ length: limit }, (_, n) => ({ city: n, n: 1 })),
    );
    const data = await readChart(chart({ group_by: 'city' }), {}, ask);
    expect(asked).toEqual([{ steps, group_by: 'city', limit: MAX_GROUPS_READ + 1 }]);
    expect(data.rows).toHaveLength(MAX_GROUPS_READ);
    expect(data.isCut).toBe(true);
  });

  it('asks as the chart says if it has a limit', async () => {
    const { asked, ask } = answering(() => [{ city: 'Bath', n: 1 }]);
    const aggregate = { steps, group_by: 'city', sort: { n: -1 }, limit: 3, filter: { x: 1 } } as const;
    expect((await readChart(chart(aggregate), {}, ask)).isCut).toBe(false);
    expect(asked).toEqual([aggregate]);
  });

  it('asks for each period between the first and the last instant', async () => {
    const { asked, ask } = answering(({ steps: [first] }) =>
      first?.output_field === 'first'
        ? [{ first: '2024-01-30T10:00:00.000Z', last: '2024-02-02T00:00:00.000Z' }]
        : [{ n: 7 }],
    );
    const data = await readChart(
      chart({ group_by: 'at', filter: { x: 1 } }, 'month'),
      { at: 'datetime' },
      ask,
    );
    expect(asked.map(({ filter }) => filter)).toEqual([
      { x: 1 },
      { $and: [{ x: 1 }, { at: { $gte: '2024-01-01T00:00:00.000Z', $lt: '2024-02-01T00:00:00.000Z' } }] },
      { $and: [{ x: 1 }, { at: { $gte: '2024-02-01T00:00:00.000Z', $lt: '2024-03-01T00:00:00.000Z' } }] },
    ]);
    expect(data.rows).toEqual([
      { at: '2024-01-01T00:00:00.000Z', n: 7 },
      { at: '2024-02-01T00:00:00.000Z', n: 7 },
    ]);
    expect(data.unit).toBe('month');
  });

  it('compares a column of dates with dates, and splits each period', async () => {
    const { asked, ask } = answering(({ group_by }) =>
      group_by === undefined ? [{ first: '2024-01-30', last: '2024-01-30' }] : [{ city: 'Bath', n: 1 }],
    );
    const data = await readChart(chart({ group_by: ['day', 'city'] }, 'day'), { day: 'date' }, ask);
    expect(asked[1]).toEqual({
      steps,
      group_by: ['city'],
      limit: MAX_GROUPS_READ,
      filter: { day: { $gte: '2024-01-30', $lt: '2024-01-31' } },
    });
    expect(data.rows).toEqual([{ day: '2024-01-30T00:00:00.000Z', city: 'Bath', n: 1 }]);
  });

  it('shows nothing if no record has a date', async () => {
    const { ask } = answering(() => [{ first: null, last: null }]);
    expect((await readChart(chart({ group_by: 'at' }, 'auto'), { at: 'datetime' }, ask)).rows).toEqual([]);
  });
});

describe('a limiter', () => {
  it('runs at most so many works at a time, in order, and goes on after failures', async () => {
    const limiter = new Limiter(2);
    const ends: (() => void)[] = [];
    const began: number[] = [];
    const all = [0, 1, 2, 3].map(n =>
      limiter
        .run(async () => {
          began.push(n);
          await new Promise<void>(resolve => ends.push(resolve));
          if (n === 0) throw new Error('refused');
        })
        .catch(() => undefined),
    );
    await Promise.resolve();
    expect(began).toEqual([0, 1]);
    ends[0]?.();
    await all[0];
    await Promise.resolve();
    expect(began).toEqual([0, 1, 2]);
    for (let n = 1; n < 4; n += 1) {
      ends[n]?.();
      await all[n];
    }
    expect(began).toEqual([0, 1, 2, 3]);
  });

  it('never starts a work that was aborted while it waited', async () => {
    const limiter = new Limiter(1);
    let end: () => void = () => undefined;
    const first = limiter.run(() => new Promise<void>(resolve => (end = resolve)));
    const stop = new AbortController();
    const second = limiter.run(async () => 'begun', stop.signal).catch(error => error.name);
    const third = limiter.run(async () => 'third');
    stop.abort();
    end();
    await first;
    expect(await second).toBe('AbortError');
    expect(await third).toBe('third');
  });
});
