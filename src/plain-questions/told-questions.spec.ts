import { describe, expect, it } from 'vitest';
import { evaluate, toolsOf } from '../../test/conformance/questions/evaluate.js';
import type { Fixture } from '../../test/conformance/questions/fixtures.js';
import { TOLD_TABLES } from '../../test/conformance/questions/tables.js';
import { type Asked, toldBy } from '../../test/conformance/questions/told.js';
import { planQuestion } from './plain-questions.js';

/** What is told beside what plain code finds, or why nothing is. */
async function answered({ sight, rows }: Fixture, [question, expected]: Asked) {
  const wanted = expected === 'refused' ? expected : expected(rows);
  const planned = await planQuestion(question, sight, toolsOf(rows));
  if ('refusal' in planned) return { question, told: 'refused', wanted, why: planned.refusal };
  const data = evaluate(planned.plan, rows);
  return { question, told: toldBy(planned.plan, data, wanted), wanted };
}

describe.each(TOLD_TABLES)('questions about %s', (name, fixture, asked) => {
  it('are answered by what plain code finds in the records, and few of them refused for nothing', async () => {
    const all = await Promise.all(asked.map(each => answered(fixture, each)));
    const refused = all.filter(({ told, wanted }) => told === 'refused' && wanted !== 'refused');
    const why = refused.map(each => `\n  refused for nothing: ${each.question} ${each.why}`);
    process.stdout.write(
      `questions about ${name}: ${all.length - refused.length} of ${all.length}${why.join('')}\n`,
    );
    const given = all.filter(each => !refused.includes(each));
    expect(given.map(({ question, told }) => [question, told])).toEqual(
      given.map(({ question, wanted }) => [question, wanted]),
    );
    expect(refused.length / all.length).toBeLessThan(0.1);
  });
});
