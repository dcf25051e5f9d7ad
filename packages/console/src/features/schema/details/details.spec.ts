import { describe, expect, it } from 'vitest';
import { changedDetails, detailsOf } from './details.js';

const SAVED = {
  name: 'books',
  description: null,
  settings: { max_records: 1000, ttl_days: 0, history_days: 7 },
};

describe('the details of a collection', () => {
  it('are not sent if nothing changed', () => {
    expect(changedDetails(SAVED, detailsOf(SAVED))).toBeUndefined();
  });

  it('are sent only where they changed', () => {
    expect(changedDetails(SAVED, { ...detailsOf(SAVED), maxRecords: '2000' })).toEqual({
      settings: { max_records: 2000 },
    });
    expect(changedDetails(SAVED, { ...detailsOf(SAVED), historyDays: '0' })).toEqual({
      settings: { history_days: 0 },
    });
    expect(changedDetails(SAVED, { ...detailsOf(SAVED), name: 'novels', description: ' Long ' })).toEqual({
      name: 'novels',
      description: 'Long',
    });
  });

  it('remove a description that is emptied', () => {
    const saved = { ...SAVED, description: 'Old' };
    expect(changedDetails(saved, { ...detailsOf(saved), description: ' ' })).toEqual({ description: null });
  });
});
