import { describe, expect, it } from 'vitest';
import { encoded } from './encoded.js';
import type { Reading } from './head.js';
import { type FilePlan, sentFile } from './plan.js';

const CSV: Reading = {
  encoding: 'windows-1252',
  format: 'csv',
  delimiter: ';',
  headerLine: 3,
  decimal: ',',
  dates: 'dmy',
};
const planOf = (reading: Partial<Reading>, targets: FilePlan['targets'] = ['a', 'b']): FilePlan => ({
  reading: { ...CSV, ...reading },
  samples: { names: ['a', 'b'], headers: ['a', 'b '] },
  targets,
});

describe('a file', () => {
  it('of CSV is sent as it is, with the columns of its headers', async () => {
    const file = new Blob(['Books; 2026\n\na;b \nEmma;1,5\n']);
    const { body, options } = await sentFile(file, planOf({}, ['a', null]));
    expect(body).toBe(file);
    expect(options).toMatchObject({
      ...{ format: 'csv', skipLines: 2, textEncoding: 'windows-1252', delimiter: ';', decimal: ',' },
      ...{ dates: 'dmy', columns: { 'b ': null }, allowUnknown: true },
    });
    expect(options.zone).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
  });

  it.each([
    ['utf-8', new TextEncoder().encode('\ufeffé;1\n')],
    ['utf-16be', encoded('\ufeffé;1\n', 'utf-16be')],
    ['windows-1252', encoded('é;1\n', 'latin1')],
  ] as const)('of CSV in %s without a header gets one', async (encoding, bytes) => {
    const { body, options } = await sentFile(new Blob([bytes]), planOf({ encoding, headerLine: 0 }));
    expect(await body.text()).toBe('a;"b "\né;1\n');
    expect(options).toMatchObject({ textEncoding: 'utf-8', skipLines: 0 });
  });

  it('with a JSON list is sent as it is', async () => {
    const file = new Blob([' [{"a": 1}, {"b": 2}]']);
    const { body, options } = await sentFile(file, planOf({ format: 'json' }, ['x', 'b ']));
    expect(body).toBe(file);
    expect(options).toMatchObject({ format: 'json', columns: { a: 'x' } });
    expect(options).not.toHaveProperty('delimiter');
  });

  it('of JSON objects behind each other is sent as lines', async () => {
    const file = new Blob(['{\n  "a": "}\\"{"}\n{"b": 12345678901234567890}']);
    const { body, options } = await sentFile(file, planOf({ format: 'json', encoding: 'utf-8' }));
    expect(await body.text()).toBe('{   "a": "}\\"{"}\n{"b": 12345678901234567890}\n'.replace('   ', '   '));
    expect(options).toMatchObject({ format: 'ndjson' });
  });
});
