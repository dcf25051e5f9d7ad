import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as client from '@typed-collections/client';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { newLibrary } from './library.js';

const README = 'packages/client/README.md';
/** The README of the repository, whose example is about the collection that it has just made. */
const FIRST_PAGE = 'README.md';

/** The code of a page, as one program. */
function codeOf(page: string): string {
  const blocks = [...readFileSync(page, 'utf8').matchAll(/^```ts\n(.*?)^```/gms)];
  expect(blocks.length).toBeGreaterThan(0);
  return blocks.map(([, block]) => block).join('\n');
}

/** Runs code with the client as its import and these variables, and returns the value of an expression. */
async function run(page: string, imported: object, variables: object, returned = 'undefined') {
  const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
  const body = ts
    .transpile(codeOf(page), options)
    .replace(/^import (\{[^}]*\}) from '@typed-collections\/client';/gm, 'var $1 = imported;');
  const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
  const names = ['imported', ...Object.keys(variables)];
  const program = new AsyncFunction(...names, `${body}; return ${returned}`);
  return program(imported, ...Object.values(variables));
}

/** The code of each page as a file of its own. */
const FILES = new Map([
  [resolve('packages/client/test/readme-code.ts'), README],
  [resolve('packages/client/test/first-page-code.ts'), FIRST_PAGE],
]);
const GIVEN = `
declare const url: string;
declare const key: string;
declare const manyBooks: { title: string; isbn: string }[];
`;

it('the code of both pages compiles', () => {
  const { config } = ts.readConfigFile('packages/client/test/tsconfig.json', ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, 'packages/client/test');
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...rest) => {
    const page = FILES.get(name);
    return page === undefined
      ? getSourceFile(name, ...rest)
      : ts.createSourceFile(name, GIVEN + codeOf(page), ts.ScriptTarget.ES2022);
  };
  const unused = { noUnusedLocals: false, noUnusedParameters: false };
  const program = ts.createProgram([...FILES.keys()], { ...options, ...unused }, host);
  for (const name of FILES.keys()) expect(program.getSourceFile(name)?.statements.length).toBeGreaterThan(3);
  const problems = ts
    .getPreEmitDiagnostics(program)
    .map(({ file, messageText }) => [file?.fileName, messageText]);
  expect(problems).toEqual([]);
});

it('the code of the README of the repository runs', async () => {
  const { app, key, books } = await newLibrary();
  await books.insert([
    { title: 'Emma', year: 1815 },
    { title: 'Ulysses', year: 1922 },
  ]);
  const printed: unknown[][] = [];
  const console = {
    log: (...values: unknown[]) => {
      printed.push(values);
      // It follows changes until it is ended.
      if (values[0] === 'inserted') throw new Error('the end');
    },
  };
  const createClient = (options: object) => client.createClient({ ...options, url: app.url });
  await expect(run(FIRST_PAGE, { createClient }, { key, console })).rejects.toThrow('the end');
  expect(printed).toEqual([
    ['Ulysses', 1922],
    ['inserted', 'Persuasion'],
  ]);
});

it('the code of the README of the client runs', async () => {
  const { app, key, books } = await newLibrary();
  const printed: unknown[][] = [];
  const manyBooks = [{ title: 'Ulysses', isbn: '2' }];
  const console = { log: (...values: unknown[]) => printed.push(values) };
  const variables = { url: app.url, key, manyBooks, console };
  const { csv, answer } = await run(README, client, variables, '{ csv, answer }');
  expect(printed).toContainEqual(['Ulysses', 1922]);
  expect(printed).toContainEqual(['updated', ['year'], 'key']);
  expect(printed).toContainEqual(['somebody else has changed it']);
  expect(printed).toContainEqual(['inserted', 'Middlemarch', expect.any(String)]);
  expect(printed).toContainEqual(['Sanditon']);
  expect(csv).toContain('Sanditon,1817');
  expect(answer).toContain('2');
  expect(await books.count({ title: 'Lady Susan' })).toBe(0);
});
