import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Result } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Less than half as long as `source` of the package, so a browser reads it in two thirds of the time. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** An open menu stands outside of the landmarks, at the end of the page: it is in front of all of them. */
const ALL_RULES = `{
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
  rules: { region: { enabled: document.querySelector('[role="menu"]') === null } },
}`;
/** The rules that look at colours. The others find the same in light and in dark. */
const RULES_OF_COLOURS = `{
  runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
  resultTypes: ['violations'],
}`;

/** Expects that axe-core finds no violation of WCAG 2.2 AA on the page as it is now, in light and in dark. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE);
  await expectNoViolations(page, 'light', ALL_RULES);
  await expectNoViolations(page, 'dark', RULES_OF_COLOURS);
}

async function expectNoViolations(page: Page, colorScheme: 'light' | 'dark', options: string): Promise<void> {
  await page.emulateMedia({ colorScheme });
  const { violations } = await page.evaluate<{ violations: readonly Result[] }>(
    `axe.run(document, ${options})`,
  );
  expect(violations.flatMap(described), `${page.url()} in ${colorScheme}`).toEqual([]);
}

function described({ id, help, nodes }: Result): string[] {
  return nodes.map(({ html, failureSummary }) => `${id}: ${help}\n${html}\n${failureSummary}`);
}
