import { describe, expect, it } from 'vitest';
import { changed, drafted, problemOf, propertiesOf, withNew } from './draft-columns.js';

const SUGGESTED = { name: { type: 'text', nullable: false }, age: { type: 'integer' } };

describe('the columns of a new collection', () => {
  it('keep what was suggested', () => {
    expect(propertiesOf(drafted(SUGGESTED))).toEqual({
      name: { type: 'text', nullable: false },
      age: { type: 'integer', nullable: true },
    });
  });

  it('change one at a time, names without spaces around them', () => {
    const columns = changed(drafted(SUGGESTED), 1, { name: ' years ', type: 'double' });
    expect(propertiesOf(columns)).toEqual({
      name: { type: 'text', nullable: false },
      years: { type: 'double', nullable: true },
    });
  });

  it('get a key of their own when one is added after one was removed', () => {
    const columns = withNew(drafted(SUGGESTED).filter(({ key }) => key !== 0));
    expect(columns.map(({ key }) => key)).toEqual([1, 2]);
    expect(withNew([]).map(({ key }) => key)).toEqual([0]);
  });

  it('need names, each another one', () => {
    const columns = changed(withNew(drafted(SUGGESTED)), 1, { name: 'name ' });
    expect(columns.map(column => problemOf(columns, column))).toEqual(['twice', 'twice', 'empty']);
  });
});
