import type { ColumnTypeName } from '../columns/index.js';

export interface SuggestedColumn {
  readonly type: ColumnTypeName;
  readonly nullable: boolean;
}

/** What createCollection takes, and who made it up. */
export interface SuggestedSchema {
  readonly name: string;
  readonly properties: Readonly<Record<string, SuggestedColumn>>;
  /** Columns whose values look as if no two records shared them; each has a unique of its own. */
  readonly uniques: readonly { readonly properties: readonly string[] }[];
  /** `builtin`, or the name of the language model. */
  readonly model: string;
}

export type Sample = Readonly<Record<string, unknown>>;

/** Turns words about data, and samples of it, into a schema that createCollection takes as it is. */
export abstract class SchemaSuggester {
  /** @param orgId whose budget pays for a language model, where one is asked. */
  abstract suggest(description: string, samples: readonly Sample[], orgId: string): Promise<SuggestedSchema>;
}
