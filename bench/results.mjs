// @ts-check
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import process from 'node:process';

const FILE = new URL('results.md', import.meta.url);

/**
 * Replaces one section of results.md, from its heading to the next one of the same level, or appends it.
 * @param {string} heading
 * @param {string} text
 */
export async function writeSection(heading, text) {
  const page = await readFile(FILE, 'utf8');
  const [top = '', ...sections] = page.split(/^(?=## )/m);
  const section = `## ${heading}\n\n${text.trim()}\n`;
  const at = sections.findIndex(each => each.startsWith(`## ${heading}\n`));
  if (at < 0) sections.push(section);
  else sections[at] = section;
  await writeFile(FILE, `${[top, ...sections].map(each => each.trim()).join('\n\n')}\n`);
}

/**
 * A Markdown table whose first column holds text and whose other columns hold numbers.
 * @param {string[][]} cells the first line is the heading
 */
export function table(cells) {
  const [heading = [], ...lines] = cells;
  const widths = heading.map((_, column) => Math.max(3, ...cells.map(line => line[column]?.length ?? 0)));
  const rules = widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  const written = (/** @type {string[]} */ line) =>
    `| ${line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`;
  return [written(heading), `| ${rules.join(' | ')} |`, ...lines.map(written)].join('\n');
}

/** @param {string} postgres version of the server */
export function machineLine(postgres) {
  return `- Machine: ${cpus().length} × ${(cpus()[0]?.model ?? '').trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, PostgreSQL ${postgres}. Servers, database and load generator share it.`;
}

/** @param {number} value */
export function digits(value) {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 1 : 0 });
}

/** @param {number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1);
  return middle.reduce((sum, value) => sum + value, 0) / middle.length;
}

/**
 * The verdict on a measured value.
 * @param {boolean} isReached
 */
export function verdict(isReached) {
  return isReached ? 'pass' : 'FAIL';
}
