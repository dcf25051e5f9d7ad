import { execFileSync } from 'node:child_process';

/** Builds the service and the console once per run, unless it is up to date. */
export default function buildConsole(): void {
  execFileSync(process.execPath, ['scripts/build-if-needed.mjs', 'service', 'console'], { stdio: 'inherit' });
}
