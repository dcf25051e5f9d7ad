import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** An open menu stands outside of the landmarks, at the end of the page: it is in front of all of them. */
const OPTIONS = `{
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
  rules: { region: { enabled: document.querySelector('[role="menu"]') === null } },
}`;

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Expects that axe-core finds no violation of WCAG 2.2 AA on the page as it is now, in light and in dark. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await page.evaluate<{ violations: readonly Violation[] }>(
      `axe.run(document, ${OPTIONS})`,
    );
    expect(violations.flatMap(described), `${page.url()} in ${colorScheme}`).toEqual([]);
  }
}

function described({ id, help, nodes }: Violation): string[] {
  return nodes.map(({ html, failureSummary }) => `${id}: ${help}\n${html}\n${failureSummary}`);
}
