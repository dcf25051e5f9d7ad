// Reads the JSON report of a vitest run for .ci/run:
// node scripts/count-tests.mjs <report> <exit status> <file of failures> <file of repetitions> <file of slow files>
// Prints how many tests passed and failed. Writes what failed, what passed only at the second attempt, and how long the
// slowest files ran. A run that failed without a failed test (for example, a file does not load) counts as one failure,
// and so does a run without a report.
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import process from 'node:process';

const SLOWEST = 20;
const [, , file, status, failures, repeated, slow] = process.argv;

const report = reportOf(file);
const failed = report.numFailedTests || (status === '0' && report.numPassedTests > 0 ? 0 : 1);
for (const { name, status: outcome, message, assertionResults } of report.testResults) {
  const withMessages = assertionResults.filter(test => test.failureMessages.length > 0);
  for (const test of withMessages) {
    const list = test.status === 'failed' ? failures : repeated;
    write(list, name, `${test.fullName}\n  ${test.failureMessages.join('\n')}`);
  }
  if (outcome === 'failed' && withMessages.length === 0) write(failures, name, message);
}
appendFileSync(slow, slowest(report).join(''));
process.stdout.write(`${report.numPassedTests} ${failed}\n`);

function reportOf(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, testResults: [] };
  }
}

function write(list, name, reason) {
  appendFileSync(list, `${name}: ${reason.slice(0, 800)}\n`);
}

/** The files whose tests took longest, from the first to the last test, without what a file does before. */
function slowest({ testResults }) {
  return testResults
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }))
    .sort((one, other) => other.seconds - one.seconds)
    .slice(0, SLOWEST)
    .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(8)} s  ${relative(process.cwd(), name)}\n`);
}
