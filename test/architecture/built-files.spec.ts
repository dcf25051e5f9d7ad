import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const DIST = join(process.cwd(), 'dist/src');
const BUNDLE = join(process.cwd(), 'dist/service');
/** These start the service or a command when they are imported. */
const PROGRAMS = ['main.js', 'cli.js'];

/** Imports each file of a list, and prints those that throw. */
const IMPORT_ALL = `
const failures = [];
for (const file of JSON.parse(process.argv[1]))
  await import(file).catch(error => failures.push(file + ': ' + error.message));
process.stdout.write(JSON.stringify(failures), () => process.exit());
`;

// The types of a constructor's parameters are read when its class is defined. A class that is injected above its own
// definition in the same file compiles, but the file cannot be imported.
it('every file of the build can be imported', async () => {
  const names = await readdir(DIST, { recursive: true });
  const files = names.filter(name => name.endsWith('.js') && !PROGRAMS.includes(name)).sort();
  expect(files.length).toBeGreaterThan(300);
  const list = JSON.stringify(files.map(name => join(DIST, name)));
  const node = ['--input-type=module', '--eval', IMPORT_ALL, list];
  const { stdout } = await promisify(execFile)(process.execPath, node);
  expect(JSON.parse(stdout)).toEqual([]);
});

// Another character doubles the memory that the source takes.
it('the bundle has ASCII characters only', async () => {
  const files = (await readdir(BUNDLE)).filter(name => name.endsWith('.js'));
  expect(files).toContain('main.js');
  for (const name of files) {
    const bytes = await readFile(join(BUNDLE, name));
    expect([name, bytes.findIndex(byte => byte > 0x7f)]).toEqual([name, -1]);
  }
});
