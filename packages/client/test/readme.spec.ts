import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as client from '@typed-collections/client';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { newLibrary } from './library.js';

/** The code of a page, as one program. */
const code = [...readFileSync('packages/client/README.md', 'utf8').matchAll(/^```ts\n(.*?)^```/gms)]
  .map(([, block]) => block)
  .join('\n');

const FILE = resolve('packages/client/test/readme-code.ts');
const GIVEN = `
declare const url: string;
declare const key: string;
declare const manyBooks: { title: string; isbn: string }[];
`;

it('the code of the README compiles', () => {
  const { config } = ts.readConfigFile('packages/client/test/tsconfig.json', ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, 'packages/client/test');
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...rest) =>
    name === FILE
      ? ts.createSourceFile(FILE, GIVEN + code, ts.ScriptTarget.ES2022)
      : getSourceFile(name, ...rest);
  const unused = { noUnusedLocals: false, noUnusedParameters: false };
  const program = ts.createProgram([FILE], { ...options, ...unused }, host);
  const problems = ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText);
  expect(problems).toEqual([]);
});

it('the code of the README runs', async () => {
  const { app, key, books } = await newLibrary();
  const withoutTypes = ts.transpile(code, { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext });
  const body = withoutTypes.replace(
    /^import (\{[^}]*\}) from '@typed-collections\/client';/gm,
    'var $1 = imported;',
  );
  const printed: unknown[][] = [];
  const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
  const run = new AsyncFunction(
    'imported',
    'url',
    'key',
    'manyBooks',
    'console',
    `${body}; return { csv, answer }`,
  );
  const manyBooks = [{ title: 'Ulysses', isbn: '2' }];
  const { csv, answer } = await run(client, app.url, key, manyBooks, {
    log: (...values: unknown[]) => printed.push(values),
  });
  expect(printed).toContainEqual(['Ulysses', 1922]);
  expect(printed).toContainEqual(['somebody else has changed it']);
  expect(printed).toContainEqual(['inserted', 'Middlemarch', expect.any(String)]);
  expect(printed).toContainEqual(['Sanditon']);
  expect(csv).toContain('Sanditon,1817');
  expect(answer).toContain('2');
  expect(await books.count({ title: 'Lady Susan' })).toBe(0);
});
