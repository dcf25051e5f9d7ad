import { describe, expect, it } from 'vitest';
import { insertExamples, sampleRecord } from './sample-record.js';

describe('an example of an insert', () => {
  it('fits the schema', () => {
    const schema = {
      title: { type: 'text', nullable: false },
      year: { type: 'integer', nullable: true },
      tags: { type: 'array', nullable: true },
    } as const;
    expect(sampleRecord(schema)).toEqual({ title: 'text', year: 1, tags: ['one', 'two'] });
    expect(sampleRecord({})).toEqual({ name: 'text', amount: 1 });
  });

  it('has every required column of a wide schema', () => {
    const optional = Array.from({ length: 10 }, (_, index) => [
      `c${index}`,
      { type: 'text', nullable: true },
    ]);
    const schema = Object.fromEntries([...optional, ['must', { type: 'integer', nullable: false }]]);
    expect(Object.keys(sampleRecord(schema))).toEqual(['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'must']);
  });

  it('is quoted for the shell', () => {
    const { curl, cli, typescript } = insertExamples('http://localhost:3000', "it's", { a: "'" });
    expect(curl).toContain(`'http://localhost:3000/v1/collections/it'\\''s/data'`);
    expect(cli).toContain(`tcol insert 'it'\\''s' '{"a":"'\\''"}'`);
    expect(typescript).toContain(`collection("it's").insert({"a":"'"})`);
  });
});
