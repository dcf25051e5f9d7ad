import { describe, expect, it } from 'vitest';
import {
  differences,
  moved,
  type StoredCharts,
  withChart,
  withCopy,
  withoutChart,
} from './changed-charts.js';
import { type Chart, chartOf, isEditable } from './chart.js';

const count = { steps: [{ type: 'count', output_field: 'n' }] };
const chart = (id: string, more: object = {}) => ({
  id,
  title: `Chart ${id}`,
  type: 'bar',
  aggregate: count,
  ...more,
});
const foreign = { title: 'By country', type: 'bar', steps: count.steps, group_by: 'country' };

describe('a stored chart', () => {
  it('is drawn if it has the shape of the contract', () => {
    const stored = chart('a', {
      every: 'month',
      aggregate: { ...count, group_by: ['at', 'city'], filter: { x: 1 }, sort: { n: -1 }, limit: 5 },
    });
    expect(chartOf(stored)).toBe(stored);
    expect(chartOf(chart('a', { colour: 'red' }))).toBeDefined();
  });

  it.each([
    null,
    'text',
    foreign,
    chart('a', { type: 'sankey' }),
    chart('a', { title: 7 }),
    chart('a', { every: 'decade' }),
    chart('a', { aggregate: { steps: [] } }),
    chart('a', { aggregate: { steps: [{ type: 'sum', output_field: 'n' }] } }),
    chart('a', { aggregate: { steps: [{ type: 'median', input_field: 'x', output_field: 'n' }] } }),
    chart('a', { aggregate: { ...count, group_by: 7 } }),
    chart('a', { aggregate: { ...count, sort: { n: 'up' } } }),
    chart('a', { aggregate: { ...count, limit: 0 } }),
    chart('a', { aggregate: { ...count, having: { n: 1 } } }),
  ])('is left to others in every other shape: %j', stored => {
    expect(chartOf(stored)).toBeUndefined();
  });

  it('is edited if the editor can show all of it', () => {
    const parsed = (more: object) => chartOf(chart('a', { aggregate: { ...count, ...more } })) as Chart;
    expect(isEditable(parsed({ group_by: ['a', 'b'] }))).toBe(true);
    expect(isEditable(parsed({ group_by: ['a', 'b', 'c'] }))).toBe(false);
    expect(isEditable(parsed({ steps: [...count.steps, ...count.steps] }))).toBe(false);
  });
});

describe('a change of the charts', () => {
  const charts: StoredCharts = [chart('a', { colour: 'red', every: 'day' }), foreign, chart('b')];

  it('adds a chart at the end', () => {
    expect(withChart(chart('c'))(charts)).toEqual([...charts, chart('c')]);
  });

  it('replaces a chart, and keeps its other fields but not its old period', () => {
    const [first, ...rest] = withChart(chart('a', { title: 'New' }))(charts);
    expect(first).toEqual(chart('a', { title: 'New', colour: 'red' }));
    expect(rest).toEqual(charts.slice(1));
  });

  it('deletes only charts of the console', () => {
    expect(withoutChart('a')(charts)).toEqual(charts.slice(1));
    expect(withoutChart('x')(charts)).toEqual(charts);
    expect(withoutChart('x')([{ id: 'x' }])).toEqual([{ id: 'x' }]);
  });

  it('puts a copy behind its chart', () => {
    const copied = withCopy('a', { id: 'd', title: 'Copy' })(charts);
    expect(copied[1]).toEqual({ ...charts[0], id: 'd', title: 'Copy' });
    expect(copied).toHaveLength(4);
  });

  it('moves a chart past the charts of other programs', () => {
    const ids = (by: -1 | 1, id: string) => moved(id, by)(charts).map(each => each.id ?? 'foreign');
    expect(ids(1, 'a')).toEqual(['foreign', 'b', 'a']);
    expect(ids(-1, 'b')).toEqual(['b', 'a', 'foreign']);
    expect(ids(-1, 'a')).toEqual(['a', 'foreign', 'b']);
    expect(ids(1, 'b')).toEqual(['a', 'foreign', 'b']);
  });

  it('is told by title', () => {
    const now = [chart('a', { title: 'Other' }), foreign, chart('c')];
    expect(differences(charts, now)).toEqual({
      added: ['Chart c'],
      changed: ['Other'],
      removed: ['Chart b'],
    });
    expect(differences(charts, charts)).toEqual({ added: [], changed: [], removed: [] });
  });
});
