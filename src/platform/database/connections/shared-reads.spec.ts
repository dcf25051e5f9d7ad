import { describe, expect, it, vi } from 'vitest';
import type { Rendered } from '../../../base/sql/index.js';
import type { Rows } from '../statements.js';
import { type FormForMany, type SharedRead, SharedReads } from './shared-reads.js';

const FORM: FormForMany = {
  rendered: values => ({ text: 'many', values: [values] }),
  positionOf: ([, position]) => position as number,
};

function readOf(value: string, form = FORM): SharedRead {
  return { form, value, alone: () => ({ text: 'one', values: [value] }) };
}

/** Answers with the values of the statement, in reverse order. `fails` returns the error of a statement. */
function server(fails: (text: string, values: readonly unknown[]) => unknown = () => undefined) {
  const sent: unknown[] = [];
  const send = async ({ text, values }: Rendered): Promise<Rows> => {
    sent.push([text, ...values]);
    await new Promise(setImmediate);
    const failure = fails(text, values);
    if (failure !== undefined) throw failure;
    if (text === 'one') return [[`row of ${values[0]}`]];
    return (values[0] as string[]).map((value, index) => [`row of ${value}`, index + 1]).reverse();
  };
  const socket = { cork: vi.fn(), uncork: vi.fn() };
  const reads = new SharedReads(send, socket);
  const read = (value: string, form = FORM) => reads.add(readOf(value, form));
  return { sent, reads, socket, read };
}

/** The end of this turn of the event loop. */
const endOfTurn = () => new Promise(setImmediate);

const refusal = (code: string) => Object.assign(new Error('refused'), { code, severity: 'ERROR' });

describe('reads that may share statements', () => {
  it('are one statement when they have the same form, and each gets its own row', async () => {
    const { sent, read } = server();
    const answers = ['a', 'b', 'a'].map(value => read(value));
    await endOfTurn();
    const rows = await Promise.all(answers);
    expect(rows.map(([row]) => row?.[0])).toEqual(['row of a', 'row of b', 'row of a']);
    expect(sent).toEqual([['many', ['a', 'b', 'a']]]);
  });

  it('are statements of their own when the forms differ, and for one read', async () => {
    const { sent, read } = server();
    const answers = [read('a'), read('b', { ...FORM })];
    await endOfTurn();
    await Promise.all(answers);
    expect(sent).toEqual([
      ['one', 'a'],
      ['one', 'b'],
    ]);
  });

  it('are sent once', async () => {
    const { sent, read } = server();
    const answer = read('a');
    await endOfTurn();
    await endOfTurn();
    await answer;
    expect(sent).toHaveLength(1);
  });

  it('wait while a statement of the same form is running, and are the next one', async () => {
    const { sent, read } = server();
    const first = read('a');
    await endOfTurn();
    const others = [read('b'), read('c')];
    expect(sent).toHaveLength(1);
    await Promise.all([first, ...others]);
    expect(sent).toEqual([
      ['one', 'a'],
      ['many', ['b', 'c']],
    ]);
  });

  it('are written once in a turn of the event loop, with the statements that share nothing', async () => {
    const { sent, reads, socket, read } = server();
    const answers = [read('a'), read('b'), reads.add({ text: 'one', values: ['c'] })];
    expect([socket.cork.mock.calls.length, socket.uncork.mock.calls.length]).toEqual([1, 0]);
    await Promise.all(answers);
    expect([socket.cork.mock.calls.length, socket.uncork.mock.calls.length]).toEqual([1, 1]);
    expect(sent).toHaveLength(2);
  });

  it('do not wait for each other when the connection is ending', async () => {
    const { sent, reads, read } = server();
    const first = read('a');
    await endOfTurn();
    const second = read('b');
    reads.end();
    expect(sent).toHaveLength(2);
    expect(await Promise.all([first, second])).toEqual([[['row of a']], [['row of b']]]);
  });

  it('are sent at once when there are sixteen, also while a statement is running', async () => {
    const { sent, read } = server();
    const first = read('first');
    await endOfTurn();
    const answers = Array.from({ length: 40 }, (_, n) => read(`${n}`));
    expect(sent).toHaveLength(3);
    await first;
    const rows = await Promise.all(answers);
    expect(rows.map(([row]) => row?.[0])).toEqual(answers.map((_, n) => `row of ${n}`));
    expect(sent).toHaveLength(4);
  });

  it('all get no row when the statement has none', async () => {
    const reads = new SharedReads(async () => [], { cork: () => undefined, uncork: () => undefined });
    const answers = ['a', 'b'].map(value => reads.add(readOf(value)));
    await endOfTurn();
    expect(await Promise.all(answers)).toEqual([[], []]);
  });

  it('are sent again alone when the statement is refused, and only the refused one fails', async () => {
    const { read } = server((text, [value]) =>
      text === 'many' || value === 'b' ? refusal('22P02') : undefined,
    );
    const answers = ['a', 'b', 'c'].map(value => read(value));
    await endOfTurn();
    const outcomes = await Promise.allSettled(answers);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it.each([
    ['a table is locked', '55P03'],
    ['the connection is lost', 'ECONNRESET'],
  ])('all fail when %s', async (_, code) => {
    const { sent, read } = server(() => refusal(code));
    const answers = ['a', 'b'].map(value => read(value));
    await endOfTurn();
    const outcomes = await Promise.allSettled(answers);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(sent).toHaveLength(1);
  });
});
