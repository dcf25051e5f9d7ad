import { describe, expect, it } from 'vitest';
import { ANSWERED_TABLES } from '../corpus/asked/tables.js';
import { evaluate, toolsOf } from '../corpus/evaluate.js';
import { type Asked, answerOf } from '../corpus/expected-answers.js';
import type { Fixture } from '../corpus/fixtures.js';
import { planQuestion } from './plain-questions.js';

/** The answer next to the one that plain code finds, or the reason why there is none. */
async function answered({ outline, rows }: Fixture, [question, expected]: Asked) {
  const wanted = expected === 'refused' ? expected : expected(rows);
  const planned = await planQuestion(question, outline, toolsOf(rows));
  if ('refusal' in planned) return { question, answer: 'refused', wanted, why: planned.refusal };
  const data = evaluate(planned.plan, rows);
  return { question, answer: answerOf(planned.plan, data, wanted), wanted };
}

describe.each(ANSWERED_TABLES)('questions about %s', (name, fixture, asked) => {
  it('get the answers that plain code finds in the records, and few are refused without need', async () => {
    const all = await Promise.all(asked.map(each => answered(fixture, each)));
    const refused = all.filter(({ answer, wanted }) => answer === 'refused' && wanted !== 'refused');
    const why = refused.map(each => `\n  refused without need: ${each.question} ${each.why}`);
    process.stdout.write(
      `questions about ${name}: ${all.length - refused.length} of ${all.length}${why.join('')}\n`,
    );
    const given = all.filter(each => !refused.includes(each));
    expect(given.map(({ question, answer }) => [question, answer])).toEqual(
      given.map(({ question, wanted }) => [question, wanted]),
    );
    expect(refused.length / all.length).toBeLessThan(0.1);
  });
});
