import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import ts from 'typescript';
import { describe, expect } from 'vitest';
import type { TestApp } from '../../harness/app.js';
import { expectAccessible } from '../support/axe.js';
import { test } from '../support/console-test.js';
import { type Library, newLibrary, recordsAt, tool } from './find-page.js';

/** A quote, a line break and other signs that shells and programs read in their own way. */
const NASTY = `it's "q" $HOME \`id\` \\ \n !`;
const SEARCH = {
  filter: { $or: [{ year: { $gt: 1900 } }, { title: NASTY }], "it's": null },
  sort: ['-year'],
  columns: ['title', 'year'],
};

async function newKey(app: TestApp, { books }: Library): Promise<string> {
  const body = { slug: 'code', name: 'code', permissions: ['collections:read'] };
  const answer = await app.request('POST', `${books.path}/api-keys`, { ...books.owner, body });
  if (answer.body?.secret === undefined) throw new Error(`no key was made: ${answer.text}`);
  return answer.body.secret;
}

/** Copies the code in one language from the dialog. */
async function copied(page: Page, language: string): Promise<string> {
  await page.getByRole('tab', { name: language }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' });
  return page.evaluate<string>('navigator.clipboard.readText()');
}

const run = promisify(execFile);
/** Its types belong to a program of its own. */
const CLIENT = resolve('packages/client/src/index.ts');

describe('the code for what the page shows', () => {
  test('as a command of curl returns the same records', async ({ app, visit }) => {
    const library = await newLibrary(app);
    const key = await newKey(app, library);
    const page = await visit(recordsAt(SEARCH), { as: library.home.owner });
    await tool(page, 'Code').click();
    await expectAccessible(page);
    const command = await copied(page, 'curl');
    expect(command).not.toContain(key);
    const { stdout } = await run('sh', ['-c', `${command} --silent`], {
      env: { ...process.env, TC_KEY: key },
    });
    expect(JSON.parse(stdout).records).toMatchObject([{ title: 'Ulysses', year: 1922 }]);
  });

  test('as a program compiles, and returns the same records', async ({ app, visit }) => {
    const library = await newLibrary(app);
    const key = await newKey(app, library);
    const page = await visit(recordsAt(SEARCH), { as: library.home.owner });
    await tool(page, 'Code').click();
    const program = await copied(page, 'TypeScript');
    expect(problemsOf(program)).toEqual([]);
    const { outputText } = ts.transpileModule(program, {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
    });
    const { createClient } = await import(CLIENT);
    const printed: unknown[] = [];
    const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
    const body = outputText.replace(/^import .*$/m, '');
    await new AsyncFunction('createClient', 'process', 'console', body)(
      createClient,
      { env: { TC_KEY: key } },
      { log: (record: unknown) => printed.push(record) },
    );
    expect(printed).toMatchObject([{ title: 'Ulysses', year: 1922 }]);
  });

  test('as a command of tcol returns the same records', async ({ app, visit }) => {
    const library = await newLibrary(app);
    const key = await newKey(app, library);
    const page = await visit(recordsAt(SEARCH), { as: library.home.owner });
    await tool(page, 'Code').click();
    const command = await copied(page, 'Command line');
    const program = `tcol() { node ${resolve('packages/cli/bin/tcol.js')} "$@"; }\n${command} -o json`;
    const { stdout } = await run('sh', ['-c', program], { env: { ...process.env, TC_KEY: key } });
    expect([JSON.parse(stdout)].flat()).toMatchObject([{ title: 'Ulysses', year: 1922 }]);
  });
});

const FILE = resolve('packages/client/test/copied-code.ts');

/** What the compiler finds wrong with a program that imports the client. */
function problemsOf(program: string): unknown[] {
  const { config } = ts.readConfigFile('packages/client/test/tsconfig.json', ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, 'packages/client/test');
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...rest) =>
    name === FILE ? ts.createSourceFile(FILE, program, ts.ScriptTarget.ES2022) : getSourceFile(name, ...rest);
  const compiled = ts.createProgram([FILE], options, host);
  return ts.getPreEmitDiagnostics(compiled).map(({ messageText }) => messageText);
}
