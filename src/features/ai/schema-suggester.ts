import type { Presence } from '../../base/kernel/bounds/deadline.js';
import type { ColumnTypeName } from '../../engine/columns/index.js';

export interface SuggestedColumn {
  readonly type: ColumnTypeName;
  readonly nullable: boolean;
}

/** A schema that createCollection accepts, and its source. */
export interface SuggestedSchema {
  readonly name: string;
  readonly properties: Readonly<Record<string, SuggestedColumn>>;
  /** Columns whose values seem to be unique; each has a unique constraint of its own. */
  readonly uniques: readonly { readonly properties: readonly string[] }[];
  /** `builtin`, or the name of the language model. */
  readonly model: string;
}

export type Sample = Readonly<Record<string, unknown>>;

/** For whom a schema is suggested. */
export interface SuggestionRequest {
  /** The organization whose budget pays for a language model. */
  readonly orgId: string;
  /** The client; when it disconnects, the call of the language model ends. */
  readonly caller: Presence;
}

/** Turns a description of data and samples into a schema that createCollection accepts unchanged. */
export abstract class SchemaSuggester {
  abstract suggest(
    description: string,
    samples: readonly Sample[],
    request: SuggestionRequest,
  ): Promise<SuggestedSchema>;
}
