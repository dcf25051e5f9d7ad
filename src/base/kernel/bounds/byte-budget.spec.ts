import { describe, expect, it } from 'vitest';
import { ByteBudget } from './byte-budget.js';

describe('a budget of bytes', () => {
  it('makes requests wait until enough bytes are released', async () => {
    const budget = new ByteBudget(100);
    await budget.take('a', 60);
    expect(budget.tryTake('b', 60)).toBe(false);
    let admitted = false;
    const waiting = budget.take('b', 60).then(() => (admitted = true));
    await Promise.resolve();
    expect(admitted).toBe(false);
    budget.give('a', 60);
    await waiting;
    expect(budget.state).toEqual({ used: 60, waiting: 0 });
  });

  it('admits a request of any size while no bytes are in use', async () => {
    const budget = new ByteBudget(100);
    await budget.take('a', 1_000);
    expect(budget.tryTake('a', 1)).toBe(false);
    budget.give('a', 1_000);
    expect(budget.tryTake('a', 1)).toBe(true);
  });

  it('limits an owner to half of it, and admits owners in turn', async () => {
    const budget = new ByteBudget(100);
    await budget.take('a', 50);
    const order: string[] = [];
    const waiting = [
      ...[1, 2].map(n => budget.take('a', 50).then(() => order.push(`a${n}`))),
      budget.take('b', 50).then(() => order.push('b')),
    ];
    await waiting[2];
    expect(order).toEqual(['b']);
    budget.give('a', 50);
    budget.give('b', 50);
    await waiting[0];
    budget.give('a', 50);
    await Promise.all(waiting);
    expect(order).toEqual(['b', 'a1', 'a2']);
  });

  it('leaves a quarter of the half of an owner to its other callers, and admits callers in turn', async () => {
    const budget = new ByteBudget(800);
    await budget.take('a', 300, 'x');
    const order: string[] = [];
    const waiting = [
      ...[1, 2].map(n => budget.take('a', 50, 'x').then(() => order.push(`x${n}`))),
      budget.take('a', 100, 'y').then(() => order.push('y1')),
      budget.take('a', 50, 'y').then(() => order.push('y2')),
    ];
    await waiting[2];
    expect(order).toEqual(['y1']);
    budget.give('a', 300, 'x');
    await Promise.all(waiting);
    expect(order).toEqual(['y1', 'x1', 'y2', 'x2']);
  });

  it('refuses a caller of whom too many requests wait, and no other', async () => {
    const budget = new ByteBudget(800, 20);
    await budget.take('a', 800, 'x');
    const waiting = Array.from({ length: 500 }, () => budget.take('a', 1, 'x').catch(() => 'late'));
    await expect(budget.take('a', 1, 'x')).rejects.toMatchObject({ code: 'Unavailable' });
    expect(budget.state.waiting).toBe(500);
    const other = budget.take('a', 1, 'y').catch(() => 'late');
    expect(budget.state.waiting).toBe(501);
    await Promise.all([...waiting, other]);
    expect(budget.state.waiting).toBe(0);
  });

  it('does not let an owner wait behind another one that has used its half', async () => {
    const budget = new ByteBudget(100);
    await budget.take('a', 50);
    const waiting = budget.take('a', 10);
    expect(budget.tryTake('a', 1)).toBe(false);
    expect(budget.tryTake('b', 20)).toBe(true);
    budget.give('a', 50);
    await waiting;
    expect(budget.state).toEqual({ used: 30, waiting: 0 });
  });

  it('lets an owner wait behind another one that waits for room, so that small requests do not starve a large one', async () => {
    const budget = new ByteBudget(100);
    await Promise.all([budget.take('a', 50), budget.take('b', 40)]);
    const large = budget.take('c', 60);
    expect(budget.tryTake('d', 5)).toBe(false);
    budget.give('a', 50);
    await large;
    expect(budget.state).toEqual({ used: 100, waiting: 0 });
  });

  it('refuses with 503 a request that waits too long, and then admits others', async () => {
    const budget = new ByteBudget(100, 20);
    await budget.take('a', 80);
    const large = budget.take('b', 100);
    const small = budget.take('b', 20);
    await expect(large).rejects.toMatchObject({ code: 'Unavailable' });
    await small;
    expect(budget.state).toEqual({ used: 100, waiting: 0 });
  });
});
