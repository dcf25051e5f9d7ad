/** A CTE of a statement, or, without a name, what comes behind them. */
export interface Step {
  readonly name: string | undefined;
  readonly text: string;
  /** Steps before it whose rows it reads, in their order. */
  readonly uses: readonly string[];
  /** False for what computes its rows from parameters and from other steps alone. */
  readonly touches: boolean;
}

const HEAD = /^\s*(?:WITH|,)\s+(\w+)\s+AS\s+(?:MATERIALIZED\s+)?\(/;
const TABLE = /\b(?:org_[0-9a-f]{32}|pg_temp|public)\./;

/** The steps of a statement, in an order in which each reads only those before it. Of statements made by this folder. */
export function stepsOf(text: string): Step[] {
  const steps: Step[] = [];
  const add = (name: string | undefined, own: string) => {
    const uses = steps.flatMap(each => (reads(own, each.name as string) ? [each.name as string] : []));
    steps.push({ name, text: own, uses, touches: TABLE.test(own) });
  };
  let rest = text;
  for (let head = HEAD.exec(rest); head !== null; head = HEAD.exec(rest)) {
    const end = closing(rest, head[0].length);
    add(head[1], rest.slice(head[0].length, end));
    rest = rest.slice(end + 1);
  }
  add(undefined, rest);
  return steps;
}

function reads(text: string, name: string): boolean {
  return new RegExp(`(?:FROM|USING|JOIN|,)\\s+${name}\\b(?!\\.)`).test(text);
}

/** Where the parenthesis closes that was opened before `from`. */
function closing(text: string, from: number): number {
  let depth = 1;
  let quote = '';
  for (let at = from; at < text.length; at++) {
    const character = text[at] as string;
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === "'" || character === '"') quote = character;
    else if (character === '(') depth++;
    else if (character === ')' && --depth === 0) return at;
  }
  throw new Error('a parenthesis is not closed');
}

/** Parameters numbered anew without gaps: PostgreSQL asks for the type of each. */
export function numbered(text: string, values: readonly unknown[]): { text: string; values: unknown[] } {
  const used: number[] = [];
  const dense = text.replace(/\$(\d+)/g, (_, digits: string) => {
    const number = Number(digits);
    if (!used.includes(number)) used.push(number);
    return `$${used.indexOf(number) + 1}`;
  });
  return { text: dense, values: used.map(number => values[number - 1]) };
}
