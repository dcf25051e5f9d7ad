import { describe, expect, it } from 'vitest';
import { draftOf, rulesOf } from './key-rules.js';

describe('the form of a key of a workspace', () => {
  it('joins the rules of a kind, and leaves out kinds without actions', () => {
    const draft = draftOf([
      { action: ['read'], subject: 'files', conditions: { workspaceId: '1' } },
      { action: ['read', 'update'], subject: 'files', conditions: { workspaceId: '1' } },
    ]);
    expect(draft && rulesOf(draft)).toEqual([{ action: ['read', 'update'], subject: 'files' }]);
    expect(rulesOf(draftOf([])!)).toEqual([]);
  });

  it('does not exist for rules with more conditions', () => {
    const conditions = { workspaceId: '1', authorId: '2' };
    expect(draftOf([{ action: ['read'], subject: 'files', conditions }])).toBeUndefined();
  });
});
