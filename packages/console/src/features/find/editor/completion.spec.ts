import { expect, it } from 'vitest';
import { type Columns } from '../../../values/field-types.js';
import { suggestionsAt } from './completion.js';

const columns: Columns = {
  title: { type: 'text', nullable: false },
  lent: { type: 'boolean', nullable: true },
  tags: { type: 'array', nullable: true },
};
const names = (...path: (string | number)[]) =>
  suggestionsAt({ kind: 'name', path }, columns, ['shelf']).map(({ json }) => JSON.parse(json));
const values = (...path: (string | number)[]) =>
  suggestionsAt({ kind: 'value', path }, columns, []).map(({ json }) => JSON.parse(json));

it('suggests columns, known fields and logic where conditions are', () => {
  expect(names()).toEqual([
    ...['title', 'lent', 'tags', '_id', 'created_at', 'updated_at', 'shelf'],
    ...['$and', '$or', '$nor', '$search'],
  ]);
  expect(names('$or', 0)).toContain('title');
  expect(names('$or', 0)).not.toContain('$search');
});

it('suggests the operators that the type of the column has', () => {
  expect(names('title')).toContain('$regex');
  expect(names('title')).not.toContain('$size');
  expect(names('$or', 1, 'tags')).toContain('$all');
  expect(names('lent')).toEqual(['$eq', '$ne', '$in', '$nin']);
  expect(names('title', '$not')).toContain('$regex');
});

it('suggests every operator for a field without a column, and for the element of a list', () => {
  expect(names('shelf')).toEqual(expect.arrayContaining(['$exists', '$type', '$size', '$gt']));
  expect(names('tags', '$elemMatch')).toEqual(expect.arrayContaining(['$gt', '$regex']));
});

it('suggests values where they are few', () => {
  expect(values('lent')).toEqual([true, false, null]);
  expect(values('lent', '$in', 0)).toEqual([true, false, null]);
  expect(values('shelf', '$exists')).toEqual([true, false]);
  expect(values('shelf', '$type')).toContain('string');
  expect(values('title')).toEqual([]);
});
