import type { CollectionShape, Fields } from './columns.js';
import type { Conditions, Filter } from './filter.js';

/** The list of the caller's groups, in place of the values of an operator. */
interface InGroups {
  $in?: '${user.groups}';
  $nin?: '${user.groups}';
  $all?: '${user.groups}';
}

/**
 * A filter with variables of the caller, such as `'${user.id}'`. Rules are read by the service: these are texts, not
 * template strings.
 */
export type RuleFilter<C extends CollectionShape> = Filter<C> | RuleConditions<C>;

type RuleConditions<C extends CollectionShape> = {
  [K in keyof Fields<C>]?: Fields<C>[K] extends { readonly type: infer T extends keyof Conditions }
    ? Conditions[T] | (T extends 'text' | 'array' | 'json' ? InGroups : never)
    : never;
} & {
  _id?: Conditions['text'];
  _created_by?: Conditions['text'];
  _updated_by?: Conditions['text'];
  created_at?: Conditions['datetime'];
  updated_at?: Conditions['datetime'];
  $and?: readonly RuleFilter<C>[];
  $or?: readonly RuleFilter<C>[];
  $nor?: readonly RuleFilter<C>[];
};

/** Which records an action reaches: those that match, all, or none. */
export type Rule<C extends CollectionShape> = RuleFilter<C> | boolean;

/** Top-level fields: all 1 (only these) or all 0 (all but these). */
type FieldList<C extends CollectionShape> = { readonly [K in keyof Fields<C>]?: 0 | 1 } & {
  readonly [name: string]: 0 | 1;
};

/** With whom a collection is shared, and which of its records and fields they reach. */
export interface Grant<C extends CollectionShape> {
  readonly principal_type: 'user' | 'group' | 'org' | 'agent' | 'anonymous' | 'signup';
  /** Id of a user or agent, `orgSlug:groupSlug` of a group, or slug of the organization. */
  readonly principal_id: string;
  readonly role: 'reader' | 'editor' | 'admin';
  /** Absent: they stay. Null removes them. */
  readonly rules?: {
    readonly read: Rule<C>;
    readonly create?: Rule<C>;
    readonly update?: Rule<C>;
    /** What a record must be after an update. */
    readonly becomes?: Rule<C>;
    readonly delete?: Rule<C>;
  } | null;
  readonly fields?: { readonly read?: FieldList<C>; readonly write?: FieldList<C> } | null;
  readonly limits?: { readonly reads_per_minute?: number; readonly writes_per_minute?: number } | null;
}
