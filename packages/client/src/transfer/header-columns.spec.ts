import { describe, expect, it } from 'vitest';
import { headerColumns } from './header-columns.js';

describe('the columns for headers', () => {
  it.each([
    ['Title', 'title'],
    ['Due date', 'due_date'],
    ['DueDate', 'due_date'],
    ['Prénom', 'prenom'],
    [' Year ', 'year'],
  ])('%j is %s', (header, column) => {
    expect(headerColumns([header], ['title', 'due_date', 'prenom', 'year'])).toEqual({ [header]: column });
  });

  it('leave out headers that are columns, and columns that have a header', () => {
    expect(headerColumns(['title', 'Title'], ['title'])).toEqual({});
  });

  it('give a column to one header only', () => {
    expect(headerColumns(['Year', 'YEAR'], ['year'])).toEqual({ Year: 'year' });
  });

  it('propose nothing for names without letters and digits', () => {
    expect(headerColumns(['?', 'shelf'], ['_', 'title'])).toEqual({});
  });
});
