// Builds what is missing or older than its source: `node scripts/build-if-needed.mjs [service|client|cli ...]`, by default
// everything. Checks every file, because a build that was interrupted leaves only some of them.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const NEST = 'node_modules/@nestjs/cli/bin/nest.js';
const TSC = 'node_modules/typescript/bin/tsc';

const OUTPUTS = {
  service: {
    sources: { src: 'dist/src', migrations: 'dist/migrations' },
    settings: ['.swcrc', 'nest-cli.json', 'package-lock.json'],
    build: [NEST, 'build'],
  },
  client: {
    sources: { 'packages/client/src': 'packages/client/dist' },
    settings: ['packages/client/tsconfig.build.json', 'package-lock.json'],
    build: [TSC, '-p', 'packages/client/tsconfig.build.json'],
  },
  cli: {
    sources: { 'packages/cli/src': 'packages/cli/dist' },
    settings: ['packages/cli/tsconfig.build.json', 'package-lock.json'],
    build: [TSC, '-p', 'packages/cli/tsconfig.build.json'],
  },
};

const modified = path => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const sourcesIn = directory =>
  readdirSync(directory, { recursive: true }).filter(
    name => /\.(?:ts|json)$/.test(name) && !name.endsWith('.spec.ts'),
  );

function isOutdated({ sources, settings }) {
  const configured = Math.max(...settings.map(modified));
  return Object.entries(sources).some(([from, to]) =>
    sourcesIn(from).some(name => {
      const built = modified(join(to, name.replace(/\.ts$/, '.js')));
      return built <= Math.max(modified(join(from, name)), configured);
    }),
  );
}

function build(name) {
  const [program, ...options] = OUTPUTS[name].build;
  if (!existsSync(program)) {
    process.stderr.write('The packages are not installed: run npm ci first.\n');
    process.exit(1);
  }
  const child = spawn(process.execPath, [program, ...options], { stdio: ['ignore', 'ignore', 'inherit'] });
  return new Promise(resolve => child.once('close', code => resolve(code === 0)));
}

/** Builds the outputs of one list one after the other. */
async function buildAll(names) {
  for (const name of names) {
    if (isWanted(name) && isOutdated(OUTPUTS[name]) && !(await build(name))) return false;
  }
  return true;
}

const wanted = process.argv.slice(2);
const isWanted = name => wanted.length === 0 || wanted.includes(name);
// The command line compiles against the declarations of the client; the service needs neither.
const built = await Promise.all([buildAll(['service']), buildAll(['client', 'cli'])]);
process.exitCode = built.every(Boolean) ? 0 : 1;
