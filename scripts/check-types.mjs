// @ts-check
// Checks the types of every project, several at a time. Prints what the compiler says, project by project.
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import process from 'node:process';

const PROJECTS = [
  '.',
  'packages/console',
  'packages/client/test',
  'packages/client',
  'packages/plain-questions',
  'packages/cli/test',
  'packages/cli',
  'examples',
];

/** Each check takes about 1 GB of memory. */
const AT_ONCE = Math.min(availableParallelism(), 4);

/** Resolves to true if the types of a project are right. @param {string} project */
function check(project) {
  return new Promise(resolve => {
    execFile(
      process.execPath,
      ['node_modules/typescript/bin/tsc', '-p', project],
      (error, stdout, stderr) => {
        process.stdout.write(stdout);
        process.stderr.write(stderr);
        resolve(error === null);
      },
    );
  });
}

const left = [...PROJECTS];
/** Checks one project after the other until none is left. */
async function work() {
  let isRight = true;
  for (let project = left.shift(); project !== undefined; project = left.shift()) {
    isRight = (await check(project)) && isRight;
  }
  return isRight;
}

const results = await Promise.all(Array.from({ length: AT_ONCE }, work));
process.exitCode = results.every(Boolean) ? 0 : 1;
