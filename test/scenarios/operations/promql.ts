import { parser } from '@prometheus-io/lezer-promql';

/** A metric and the conditions on its labels, as `name{label="value"}`. */
interface Selector {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[];
}

interface Expression {
  readonly selectors: readonly Selector[];
  /** The labels after `by`, `without`, `on` and `ignoring`. */
  readonly grouping: readonly string[];
}

/** Reads an expression by the grammar of Prometheus. Throws if it is not one. */
export function parsePromQL(text: string): Expression {
  const selectors: Selector[] = [];
  const grouping: string[] = [];
  const tree = parser.parse(text);
  tree.iterate({
    enter({ type, from }) {
      if (type.isError) throw new Error(`not PromQL at ${from}: ${text}`);
    },
  });
  const textOf = (node: { from: number; to: number } | null) => (node ? text.slice(node.from, node.to) : '');
  tree.iterate({
    enter({ name, node }) {
      if (name === 'GroupingLabels') grouping.push(...node.getChildren('LabelName').map(textOf));
      if (name !== 'VectorSelector') return;
      const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
      selectors.push({
        metric: textOf(node.getChild('Identifier')),
        matchers: matchers.map(matcher => ({
          label: textOf(matcher.getChild('LabelName')),
          operator: textOf(matcher.getChild('MatchOp')),
          value: JSON.parse(textOf(matcher.getChild('StringLiteral'))),
        })),
      });
    },
  });
  if (selectors.length === 0) throw new Error(`no metric: ${text}`);
  return { selectors, grouping };
}
