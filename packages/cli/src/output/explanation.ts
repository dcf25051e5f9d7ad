import type { Explanation, PlanStep } from '@typed-collections/client';
import { counted } from './progress.js';

/** An explanation for a person: what was read, the steps below each other, and the advice. */
export function explanationText(found: Explanation): string {
  const steps = linesOf(found.plan, '');
  const width = Math.max(...steps.map(({ text }) => text.length));
  const lines = steps.map(
    ({ text, rows, ms }) => `  ${text.padEnd(width)}  ${counted(rows, 'row')}, ${ms} ms`,
  );
  return `${[summaryOf(found), '', ...lines, '', adviceOf(found)].join('\n')}\n`;
}

function summaryOf({ returned_rows, scanned_rows, duration_ms }: Explanation): string {
  return `${counted(returned_rows, 'row')} from ${counted(scanned_rows, 'record')} read, in ${duration_ms} ms. Steps, the last one first:`;
}

function adviceOf({ advice, index, indexes, uses_index }: Explanation): string {
  if (advice !== null) return `An index would help: ${JSON.stringify(advice)}`;
  const used = indexes ?? (index === null ? [] : [index]);
  if (used.length > 0)
    return `Used: ${used.map(each => JSON.stringify(each)).join(', ')}. No other index would help.`;
  return `${uses_index ? 'Used: the index of the ids.' : 'No index was used.'} None would help.`;
}

interface Line {
  readonly text: string;
  readonly rows: number;
  readonly ms: number;
}

function linesOf({ step, rows, ms, children }: PlanStep, indent: string): Line[] {
  const below = children.flatMap(child => linesOf(child, `${indent}  `));
  return [{ text: indent + step, rows, ms }, ...below];
}
