// @ts-check
import process from 'node:process';

const BAR_WIDTH = 40;
const MAX_ROWS = 25;

/** Prints the output of the demo and counts the checks that failed. */
export class Report {
  failures = 0;

  /** @param {string} text */
  say(text) {
    process.stdout.write(`${text}\n`);
  }

  /** @param {string} text */
  heading(text) {
    this.say(`\n${text}\n${'─'.repeat(text.length)}`);
  }

  /**
   * A progress bar. On a terminal it redraws itself; elsewhere it is printed once, when full.
   * @param {string} label
   * @param {number} total
   * @returns {(done: number) => void}
   */
  progress(label, total) {
    return done => {
      const filled = Math.round((done / total) * BAR_WIDTH);
      const line = `${label} ${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ${done}/${total}`;
      if (process.stdout.isTTY) process.stdout.write(`\r${line}${done === total ? '\n' : ''}`);
      else if (done === total) this.say(line);
    };
  }

  /**
   * Prints the request behind an answer as it was sent.
   * @param {import('./client.mjs').Call} call
   */
  request({ method, path, body }) {
    this.say(`  ${method} ${path}${body === undefined ? '' : `\n  ${JSON.stringify(body)}`}`);
  }

  /**
   * @param {(string | number)[][]} rows the last one is always shown: it may be a total
   */
  table(rows) {
    const shown = rows.length > MAX_ROWS ? [...rows.slice(0, MAX_ROWS - 2), ['…'], ...rows.slice(-1)] : rows;
    const columns = Math.max(0, ...shown.map(row => row.length));
    const widths = Array.from({ length: columns }, (_, i) =>
      Math.max(...shown.map(row => show(row[i] ?? '').length)),
    );
    for (const row of shown) {
      const cells = row.map((cell, i) =>
        typeof cell === 'number' ? show(cell).padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0),
      );
      this.say(`    ${cells.join('  ').trimEnd()}`);
    }
  }

  /**
   * @param {boolean} holds
   * @param {string} text
   */
  check(holds, text) {
    if (!holds) this.failures += 1;
    this.say(`  ${holds ? '✓' : '✗'} ${text}`);
  }

  /**
   * Prints a request with its outcome, and whether the outcome is the expected one.
   * @param {import('./client.mjs').Call} call
   * @param {string} outcome
   * @param {boolean} holds
   */
  step(call, outcome, holds) {
    this.request(call);
    this.check(holds, outcome);
  }
}

/** @param {string | number} cell */
function show(cell) {
  return typeof cell === 'number' ? cell.toLocaleString('en-US') : cell;
}
