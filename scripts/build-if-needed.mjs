// Builds dist/ when it is missing or older than what it is made from.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

function newest(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map(name => newest(join(path, name))));
}

const sources = ['src', 'migrations', '.swcrc', 'nest-cli.json', 'package-lock.json'];
const built = statSync('dist/src/main.js', { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (Math.max(...sources.map(newest)) > built) {
  const { status } = spawnSync(process.execPath, ['node_modules/@nestjs/cli/bin/nest.js', 'build'], { stdio: 'inherit' });
  process.exit(status ?? 1);
}
