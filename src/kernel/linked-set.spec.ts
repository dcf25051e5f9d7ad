import { describe, expect, it } from 'vitest';
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
  it('keeps its members in the order of a Set, whatever is added, deleted and moved', () => {
    const members = [0, 1, 2, 3, 4].map(newMember);
    const set = new LinkedSet<Member>();
    const expected = new Set<number>();
    let state = 7;
    const below = (limit: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((state / 2 ** 31) * limit);
    };
    for (let step = 0; step < 5_000; step++) {
      const member = members[below(5)] as Member;
      const { name } = member;
      const action = below(3);
      if (action === 0) {
        set.add(member);
        expected.add(name);
      } else if (action === 1) {
        set.delete(member);
        expected.delete(name);
      } else {
        set.moveToEnd(member);
        if (expected.delete(name)) expected.add(name);
      }
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
