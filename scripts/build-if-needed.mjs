// Builds what is missing or older than its source: `node scripts/build-if-needed.mjs [--all] [service|client|cli|console ...]`,
// by default everything. `--all` builds also what is up to date. Checks every file of the compilers, because a build that
// was interrupted leaves only some of them.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const NEST = 'node_modules/@nestjs/cli/bin/nest.js';
const TSC = 'node_modules/typescript/bin/tsc';
const VITE = 'node_modules/vite/bin/vite.js';

/**
 * `compiled`: directories whose TypeScript becomes JavaScript file by file. `bundled`: what becomes other files; `last` is
 * the file that its build writes last. `removed`: directories of old files. `build`: programs, one after the other.
 */
const OUTPUTS = {
  service: {
    compiled: { src: 'dist/src', migrations: 'dist/migrations' },
    bundled: ['src', 'migrations'],
    last: 'dist/service/main.js',
    settings: ['.swcrc', 'nest-cli.json', 'vite.service.config.ts', 'package-lock.json'],
    removed: ['dist/src', 'dist/migrations', 'dist/service'],
    build: [
      [NEST, 'build'],
      [VITE, 'build', '--config', 'vite.service.config.ts', '--logLevel', 'error'],
    ],
  },
  questions: {
    compiled: { 'packages/plain-questions/src': 'packages/plain-questions/dist' },
    settings: ['packages/plain-questions/tsconfig.build.json', 'package-lock.json'],
    removed: ['packages/plain-questions/dist'],
    build: [[TSC, '-p', 'packages/plain-questions/tsconfig.build.json']],
  },
  client: {
    compiled: { 'packages/client/src': 'packages/client/dist' },
    settings: ['packages/client/tsconfig.build.json', 'package-lock.json'],
    removed: ['packages/client/dist'],
    build: [[TSC, '-p', 'packages/client/tsconfig.build.json']],
  },
  cli: {
    compiled: { 'packages/cli/src': 'packages/cli/dist' },
    settings: ['packages/cli/tsconfig.build.json', 'package-lock.json'],
    removed: ['packages/cli/dist'],
    build: [[TSC, '-p', 'packages/cli/tsconfig.build.json']],
  },
  console: {
    bundled: ['packages/console/src', 'packages/console/public', 'packages/client/src'],
    last: 'dist/console/index.html.br',
    settings: [
      'packages/console/index.html',
      'packages/console/vite.config.ts',
      'packages/console/precompressed.ts',
      'package-lock.json',
    ],
    removed: [],
    build: [[VITE, 'build', 'packages/console', '--logLevel', 'warn']],
  },
};

const modified = path => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const filesIn = directory =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.name.endsWith('.spec.ts'))
    .map(entry => join(entry.parentPath, entry.name));

const sourcesIn = directory => filesIn(directory).filter(path => /\.(?:ts|json)$/.test(path));

function isOutdated({ compiled = {}, bundled = [], last, settings }) {
  const configured = Math.max(...settings.map(modified));
  const files = Object.entries(compiled).flatMap(([from, to]) =>
    sourcesIn(from).map(path => ({ path, built: join(to, path.slice(from.length)).replace(/\.ts$/, '.js') })),
  );
  const parts = bundled.flatMap(filesIn).map(path => ({ path, built: last }));
  return [...files, ...parts].some(
    ({ path, built }) => modified(built) <= Math.max(modified(path), configured),
  );
}

async function build(name) {
  // The compilers keep files whose sources are gone.
  for (const directory of OUTPUTS[name].removed) rmSync(directory, { recursive: true, force: true });
  for (const command of OUTPUTS[name].build) if (!(await run(command))) return false;
  return true;
}

function run([program, ...options]) {
  if (!existsSync(program)) {
    process.stderr.write('The packages are not installed: run npm ci first.\n');
    process.exit(1);
  }
  const child = spawn(process.execPath, [program, ...options], {
    stdio: ['ignore', 'ignore', 'inherit'],
    // A build that a test starts is that of production: Vite would build React for development otherwise.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  return new Promise(resolve => child.once('close', code => resolve(code === 0)));
}

const wanted = process.argv.slice(2).filter(name => name in OUTPUTS);
const isWanted = name =>
  wanted.length === 0 || wanted.includes(name) || (name === 'questions' && wanted.includes('service'));
const needsBuild = name => process.argv.includes('--all') || isOutdated(OUTPUTS[name]);

/** Builds the outputs of one list one after the other. */
async function buildAll(names) {
  for (const name of names) {
    if (isWanted(name) && needsBuild(name) && !(await build(name))) return false;
  }
  return true;
}

// The command line compiles against the declarations of the client, and the bundle of the service contains the questions.
const built = await Promise.all([
  buildAll(['questions', 'service']),
  buildAll(['client', 'cli']),
  buildAll(['console']),
]);
process.exitCode = built.every(Boolean) ? 0 : 1;
