import { buildMongoQueryMatcher } from '@casl/ability';

type Queries = readonly unknown[];
type Parsing = { readonly parse: (query: unknown) => unknown };
type Matching = { readonly interpret: (condition: unknown, resource: unknown) => boolean };

/** A logical condition, as CASL's parser returns it. */
interface Compound {
  readonly value: Queries;
}

function compound(operator: string) {
  return {
    type: 'compound',
    parse: (_: unknown, queries: Queries, { parse }: Parsing) => ({
      operator,
      value: queries.map(query => parse(query)),
    }),
  };
}

const some = ({ value }: Compound, resource: unknown, { interpret }: Matching) =>
  value.some(condition => interpret(condition, resource));
const every = ({ value }: Compound, resource: unknown, { interpret }: Matching) =>
  value.every(condition => interpret(condition, resource));

/** Matches MongoDB queries with CASL's operators and the logical ones, which CASL does not include. */
export const conditionMatcher = buildMongoQueryMatcher(
  { $and: compound('every'), $or: compound('some'), $nor: compound('none') } as never,
  {
    every,
    some,
    none: (condition: Compound, resource: unknown, context: Matching) => !some(condition, resource, context),
  } as never,
);
