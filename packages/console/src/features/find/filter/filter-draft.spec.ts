import { describe, expect, it } from 'vitest';
import { newDraft, switched, written } from './filter-draft.js';

const FILTER = { year: { $gt: 1900 }, place: { $near: 5 } };

describe('a draft of a filter', () => {
  it('is the filter that it began with, as conditions and as JSON', () => {
    const draft = newDraft(FILTER);
    expect(written(draft)).toEqual({ filter: FILTER });
    expect(written({ ...draft, tab: 'json' })).toEqual({ filter: FILTER });
  });

  it('keeps the filter when it changes its form, there and back', () => {
    const json = switched(newDraft(FILTER), 'json');
    expect(JSON.parse(json?.text ?? '')).toEqual(FILTER);
    expect(written(switched(json!, 'builder')!)).toEqual({ filter: FILTER });
  });

  it('does not change its form while it is incomplete', () => {
    const draft = newDraft({});
    const incomplete = {
      ...draft.model,
      items: [{ kind: 'condition', field: 'a', operator: 'eq', value: undefined }],
    } as const;
    expect(switched({ ...draft, model: incomplete }, 'json')).toBeUndefined();
    expect(switched({ ...draft, tab: 'json', text: '{"a": ' }, 'builder')).toBeUndefined();
    expect(switched({ ...draft, tab: 'json', text: '[]' }, 'builder')).toBeUndefined();
  });

  it('without conditions matches everything', () => {
    expect(written(newDraft({}))).toEqual({ filter: {} });
    expect(written({ ...newDraft({}), tab: 'json', text: ' ' })).toEqual({ filter: {} });
  });
});
