import { execFileSync } from 'node:child_process';

/** Builds the service, the console and the command line once per run, unless they are up to date. */
export default function buildConsole(): void {
  execFileSync(process.execPath, ['scripts/build-if-needed.mjs', 'service', 'client', 'cli', 'console'], {
    stdio: 'inherit',
  });
}
