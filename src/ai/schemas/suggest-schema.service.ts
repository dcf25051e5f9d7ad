import { Injectable } from '@nestjs/common';
import type { Membership } from '../../kernel/principal.js';
import { SchemaSuggester, type SuggestedSchema } from '../schema-suggester.js';
import type { SuggestSchemaBody } from './suggest-schema.dto.js';

/** Suggests schemas to the members of an organization. Does not read or write their data. */
@Injectable()
export class SuggestSchema {
  constructor(private readonly suggester: SchemaSuggester) {}

  /** Throws 429 when the organization's budget is spent, 503 when the language model fails. */
  async suggest(
    { orgId }: Membership,
    { description, samples = [] }: SuggestSchemaBody,
  ): Promise<{ data: SuggestedSchema }> {
    return { data: await this.suggester.suggest(description, samples, orgId) };
  }
}
