import { buildMongoQueryMatcher } from '@casl/ability';

type Queries = readonly unknown[];
type Parsing = { readonly parse: (query: unknown) => unknown };
type Matching = { readonly interpret: (condition: unknown, resource: unknown) => boolean };

/** A condition made of conditions, as CASL's parser makes them. */
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

/** Matches MongoDB queries: CASL's own operators, and the logical ones, which it leaves to be added. */
export const conditionMatcher = buildMongoQueryMatcher(
  { $and: compound('every'), $or: compound('some'), $nor: compound('none') } as never,
  {
    every,
    some,
    none: (condition: Compound, resource: unknown, context: Matching) => !some(condition, resource, context),
  } as never,
);
