import { DEVIATIONS } from './deviations.js';
import type { Measured, Tally } from './measure.js';
import type { UpdateTally } from './measure-updates.js';
import { DISPUTES } from './verdict.js';

export interface Results {
  readonly random: Measured;
  readonly tables: ReadonlyMap<string, Tally>;
  readonly updates: ReadonlyMap<string, UpdateTally>;
  readonly updateTables: ReadonlyMap<string, UpdateTally>;
}

/** Writes docs/conformance.md: only figures and lists that do not differ between two runs. */
export function page({ random, tables, updates, updateTables }: Results): string {
  return `# Conformance

This page is for developers who know MongoDB and want to know how exactly filters and updates follow it. It lists pass rates by operator and every known difference; [filters, updates, sorting](filters.md) explains how to use the operators.

\`npm run conformance\` writes this page. The test suite fails if the page is out of date, if fewer than 99 % of all cases pass, or if a listed difference gives another answer than listed.

A case is one filter and a set of documents that are stored in one way: in flexible fields, in a \`json\` column, or in typed columns. It passes if the filter finds the right documents and no others. Random filters are applied to random documents, from a fixed seed. Two implementations that this project did not write decide what is right: [mingo](https://github.com/kofrasa/mingo) 7.2.6 and [sift](https://github.com/crcn/sift.js) 17.1.4.

If they disagree with each other or with MongoDB's manual, the manual decides, in the form of a small model (\`test/conformance/model.ts\`). Features that the libraries lack, or implement differently, are tested with tables taken from the manual. No MongoDB server was used.

**Filters: ${summary([...random.operators.values(), ...tables.values()])} Updates: ${updateSummary([...updates.values(), ...updateTables.values()])}**

## Random filters over random documents

${rates(random.operators)}

## Tables from the manual

\`$search\` is an extension of this service, which the libraries do not have.

${rates(tables)}

## Disagreements of the libraries

Answers to the random filters in which at least one library contradicts the manual. The page of the manual is in parentheses.

| Dispute | Against mingo | Against sift | Against both | The manual |
| --- | ---: | ---: | ---: | --- |
${disputeRows(random)}

## Random updates of random records

A case is one update of up to three fields of one record. It passes if the record afterwards is exactly as mingo makes it. Two kinds of updates are not counted: those that are refused here as MongoDB refuses them (a conflict, another type, an impossible path), because mingo refuses nothing; and those where mingo differs from the manual, as listed below. The tables from the manual cover both.

| Operator | Updates | Refused | mingo differs | Cases | Passed | Rate |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
${updateRows(updates, ({ refused, beyond, cases }) => [refused + beyond + cases, refused, beyond])}

Where mingo differs: it applies field names through arrays and adds no nulls before a position; \`$min\` and \`$max\` do not order objects, arrays and null; \`$push\` does not sort or slice what it adds to an absent field, and does not order mixed types or by fields as MongoDB does; \`$addToSet\` keeps duplicates among new values and removes existing ones; \`$pull\` looks into arrays within the array.

| Operator | Rows from the manual | Passed | Rate |
| --- | ---: | ---: | ---: |
${updateRows(updateTables, () => [])}

## Listed deviations

Every case in which the answer here is known to differ from MongoDB's. The test suite runs each row. They are not part of the figures above.

| Operators | What differs | Filter | Document | MongoDB | Here | Why |
| --- | --- | --- | --- | --- | --- | --- |
${deviationRows()}

Sorting differs in two ways: an empty array counts as null, while MongoDB puts it before null; whole objects and arrays sort by their text, because jsonb does not keep the order of fields. Numbers are doubles, so there is no \`long\` beyond 2^53 and no \`decimal\`. Sizes are limited: see [limits.md](limits.md).

Updates differ where JSON or columns cannot express something: \`$currentDate\` writes an instant as text, both for a date and a timestamp; \`$unset\` of a typed column leaves null; arithmetic uses doubles; \`$min\` and \`$max\` order whole objects by the names of their fields. \`$bit\` and the positional \`$\`, \`$[]\` and \`$[name]\` are refused.
`;
}

function rates(tallies: ReadonlyMap<string, Tally>): string {
  const rows = [...tallies, ['all', total([...tallies.values()])] as const].map(([operator, tally]) => {
    const { answers, matches, mingo, sift, cases, passed } = tally;
    const name = operator === 'all' || operator === 'combined' ? operator : `\`${operator}\``;
    return cells(name, ...[answers, matches, mingo, sift, cases, passed].map(number), percent(tally));
  });
  return `| Operator | Answers | of which yes | mingo agrees | sift agrees | Cases | Passed | Rate |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${rows.join('\n')}`;
}

function total(tallies: readonly Tally[]): Tally {
  const sum = (of: (tally: Tally) => number) => tallies.reduce((all, tally) => all + of(tally), 0);
  return {
    cases: sum(({ cases }) => cases),
    passed: sum(({ passed }) => passed),
    answers: sum(({ answers }) => answers),
    matches: sum(({ matches }) => matches),
    mingo: sum(({ mingo }) => mingo),
    sift: sum(({ sift }) => sift),
    failures: [],
  };
}

function summary(tallies: readonly Tally[]): string {
  const all = total(tallies);
  return `${percent(all)} of ${number(all.cases)} cases pass (${number(all.answers)} answers).`;
}

function updateRows(
  tallies: ReadonlyMap<string, UpdateTally>,
  more: (tally: UpdateTally) => readonly number[],
): string {
  return [...tallies]
    .map(([operator, tally]) => {
      const name = operator === 'combined' ? operator : `\`${operator}\``;
      return cells(name, ...[...more(tally), tally.cases, tally.passed].map(number), percent(tally));
    })
    .join('\n');
}

function updateSummary(tallies: readonly UpdateTally[]): string {
  const cases = tallies.reduce((all, tally) => all + tally.cases, 0);
  const passed = tallies.reduce((all, tally) => all + tally.passed, 0);
  return `${percent({ cases, passed })} of ${number(cases)} cases pass.`;
}

function disputeRows({ disputes }: Measured): string {
  return Object.entries(DISPUTES)
    .filter(([kind]) => disputes.has(kind))
    .map(([kind, { ruling }]) => {
      const { mingo, sift, both } = disputes.get(kind)!;
      return cells(kind, number(mingo), number(sift), number(both), ruling);
    })
    .join('\n');
}

function deviationRows(): string {
  return DEVIATIONS.map(({ operators, what, filter, document, mongodb, here, reason }) =>
    cells(operators, what, code(filter), code(document), mongodb, here, reason),
  ).join('\n');
}

function cells(...texts: string[]): string {
  return `| ${texts.join(' | ')} |`;
}

function code(value: unknown): string {
  return `\`${JSON.stringify(value).replaceAll('|', '\\|')}\``;
}

/** Rounded down: 100 % means all cases. */
export function percent({ cases, passed }: Pick<Tally, 'cases' | 'passed'>): string {
  return `${(Math.floor((passed / cases) * 10_000) / 100).toFixed(2)} %`;
}

/** Formatted without a locale, so that the page is the same on every machine. */
function number(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}
