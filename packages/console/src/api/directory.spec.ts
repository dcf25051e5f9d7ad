import { describe, expect, it } from 'vitest';
import { directoryOf, nameIn } from './directory.js';

const directory = directoryOf('acme', {
  members: [
    { userId: 'u1', email: 'zoe@acme.test', firstName: null, lastName: null },
    { userId: 'u2', email: 'ada@acme.test', firstName: 'Ada', lastName: 'Lovelace' },
    { userId: 'u3', email: null, firstName: null, lastName: null },
  ],
  groups: [{ slug: 'editors', name: 'The editors' }],
  agents: [{ id: 'a1', slug: 'bot', name: 'Bot' }],
});

describe('the directory of an organization', () => {
  it('names people by name and e-mail address, in the order of their names', () => {
    expect(directory.user.map(({ name }) => name)).toEqual([
      'Ada Lovelace (ada@acme.test)',
      'u3',
      'zoe@acme.test',
    ]);
  });

  it('names groups and agents by the ids that sharing uses', () => {
    expect(nameIn(directory, { type: 'group', id: 'acme:editors' })).toBe('The editors');
    expect(nameIn(directory, { type: 'agent', id: 'a1' })).toBe('Bot');
    expect(nameIn(directory, { type: 'org', id: 'acme' })).toBe('acme');
  });

  it('falls back to the id of somebody it does not know, and while it is not loaded', () => {
    expect(nameIn(directory, { type: 'user', id: 'gone' })).toBe('gone');
    expect(nameIn(undefined, { type: 'user', id: 'u2' })).toBe('u2');
  });
});
