// Builds dist/ when one of its files is missing or older than its source. Checks every file, because a build that
// was interrupted leaves only some of them.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const CONFIGURATION = ['.swcrc', 'nest-cli.json', 'package-lock.json'];

const modified = path => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function sources(directory) {
  return readdirSync(directory, { recursive: true })
    .filter(name => /\.(?:ts|json)$/.test(name) && !name.endsWith('.spec.ts'))
    .map(name => join(directory, name));
}

const configured = Math.max(...CONFIGURATION.map(modified));
const outdated = [...sources('src'), ...sources('migrations')].some(source => {
  const built = modified(join('dist', source.replace(/\.ts$/, '.js')));
  return built <= Math.max(modified(source), configured);
});

if (outdated) {
  const nest = 'node_modules/@nestjs/cli/bin/nest.js';
  if (!existsSync(nest)) {
    process.stderr.write('The packages are not installed: run npm ci first.\n');
    process.exit(1);
  }
  const { status } = spawnSync(process.execPath, [nest, 'build'], { stdio: ['ignore', 'ignore', 'inherit'] });
  process.exitCode = status ?? 1;
}
