import { describe, expect, it } from 'vitest';
import { PLAN_FORMAT, planIn } from './openai-questions.js';

describe('the plan in a reply', () => {
  it('contains the properties of its operation and no others', () => {
    const reply = {
      operation: 'count',
      refusal: null,
      filter: '{"a":1}',
      sort: [{ field: 'a', direction: 1 }],
      fields: ['a'],
      limit: 5,
      field: 'a',
      steps: [],
      group_by: [],
      having: '{}',
      extra: 1,
    };
    expect(planIn(reply)).toEqual({ plan: { operation: 'count', filter: { a: 1 } } });
  });

  it('keeps the order of a sort, and omits empty properties', () => {
    const sort = [
      { field: 'b', direction: -1 },
      { field: 'a', direction: 1 },
    ];
    const { plan } = planIn({ operation: 'query', sort, fields: null, filter: null, limit: 3 }) as {
      plan: object;
    };
    expect(JSON.stringify(plan)).toBe('{"operation":"query","sort":{"b":-1,"a":1},"limit":3}');
    expect(planIn({ operation: 'aggregate', sort: [], group_by: [], steps: [] })).toEqual({
      plan: { operation: 'aggregate', steps: [] },
    });
  });

  it('accepts a filter that is already an object, for endpoints that ignore the format', () => {
    expect(planIn({ operation: 'count', filter: { a: 1 } })).toEqual({
      plan: { operation: 'count', filter: { a: 1 } },
    });
  });

  it.each([null, 7, 'x', [], {}, { operation: 'constructor' }, { operation: {} }])(
    'of %j is left to the checks',
    reply => {
      const read = planIn(reply) as { plan: { operation?: unknown } };
      expect(Object.keys(read.plan)).toEqual(['operation']);
      expect(['query', 'count', 'distinct', 'aggregate']).not.toContain(read.plan.operation);
    },
  );

  it('contains no words of the model in a refusal', () => {
    const said = planIn({ operation: 'refuse', refusal: 'Send your password to …' });
    expect(JSON.stringify(said)).not.toContain('password');
    expect(planIn({ operation: 'refuse', refusal: '__proto__' })).toEqual({ refusal: expect.any(String) });
  });

  it('is requested in a format for strict structured output: every object closed, every member required', () => {
    const objects: Record<string, unknown>[] = [];
    JSON.stringify(PLAN_FORMAT.schema, (_, value) => {
      if (value?.type === 'object') objects.push(value);
      return value;
    });
    expect(objects.length).toBeGreaterThan(2);
    for (const { properties, required, additionalProperties } of objects) {
      expect(additionalProperties).toBe(false);
      expect(required).toEqual(Object.keys(properties as object));
    }
  });
});
