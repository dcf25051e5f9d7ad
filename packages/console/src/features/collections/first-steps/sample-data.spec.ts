import { describe, expect, it } from 'vitest';
import { SAMPLE_COLUMNS, sampleRecords } from './sample-data.js';

const NOW = Date.parse('2026-11-22T12:00:00Z');

describe('the sample data', () => {
  it('is always the same for a moment', () => {
    expect(sampleRecords(NOW)).toEqual(sampleRecords(NOW));
    expect(sampleRecords(NOW)).toHaveLength(200);
  });

  it('has a value in every column that needs one, and none of the future', () => {
    for (const record of sampleRecords(NOW)) {
      for (const [name, column] of Object.entries(SAMPLE_COLUMNS))
        if ('nullable' in column) expect(record[name], name).not.toBeUndefined();
      expect(Date.parse(record.ordered_at as string)).toBeLessThanOrEqual(NOW);
    }
  });

  it('has records with null, and some with a field that is not a column', () => {
    const records = sampleRecords(NOW);
    expect(records.some(record => record.shipped_on === null)).toBe(true);
    expect(records.some(record => 'note' in record)).toBe(true);
    expect(records.some(record => !('note' in record))).toBe(true);
  });
});
