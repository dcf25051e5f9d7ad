import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

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

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Expects that axe-core finds no violation of WCAG 2.2 AA on the page as it is now, in light and in dark. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source);
  await expectNoViolations(page, 'light', ALL_RULES);
  await expectNoViolations(page, 'dark', RULES_OF_COLOURS);
}

async function expectNoViolations(page: Page, colorScheme: 'light' | 'dark', options: string): Promise<void> {
  await page.emulateMedia({ colorScheme });
  const { violations } = await page.evaluate<{ violations: readonly Violation[] }>(
    `axe.run(document, ${options})`,
  );
  expect(violations.flatMap(described), `${page.url()} in ${colorScheme}`).toEqual([]);
}

function described({ id, help, nodes }: Violation): string[] {
  return nodes.map(({ html, failureSummary }) => `${id}: ${help}\n${html}\n${failureSummary}`);
}
