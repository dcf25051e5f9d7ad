import { describe, expect, it } from 'vitest';
import { Dice } from '../../../test/harness/dice.js';
import { type Linked, LinkedSet } from './linked-set.js';

interface Member extends Linked<Member> {
  readonly name: number;
}

const newMember = (name: number): Member => ({ name, previous: undefined, next: undefined });

function namesOf(set: LinkedSet<Member>): number[] {
  const names: number[] = [];
  for (let member = set.first; member !== undefined; member = member.next) names.push(member.name);
  return names;
}

describe('a linked set', () => {
  it('has the members of a Set in the same order after random additions, deletions and moves', () => {
    const members = [0, 1, 2, 3, 4].map(newMember);
    const set = new LinkedSet<Member>();
    const expected = new Set<number>();
    const dice = new Dice(7);
    const actions = {
      add: ({ name }: Member) => expected.add(name),
      delete: ({ name }: Member) => expected.delete(name),
      moveToEnd: ({ name }: Member) => expected.delete(name) && expected.add(name),
    };
    for (let step = 0; step < 5_000; step++) {
      const member = dice.of(members);
      const action = dice.of(['add', 'delete', 'moveToEnd'] as const);
      set[action](member);
      actions[action](member);
      expect(namesOf(set)).toEqual([...expected]);
    }
  });

  it('leaves no links in a member that was deleted', () => {
    const members = [1, 2, 3].map(newMember);
    const set = new LinkedSet<Member>();
    for (const member of members) set.add(member);
    set.delete(members[1] as Member);
    expect(members[1]).toEqual(newMember(2));
    expect(members[0]?.next).toBe(members[2]);
    expect(members[2]?.previous).toBe(members[0]);
  });
});
