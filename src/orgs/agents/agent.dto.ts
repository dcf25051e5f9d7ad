import { NameField, SlugField } from '../right.fields.js';

export class CreateAgentBody {
  @SlugField({ description: 'Unique in the organization.', example: 'importer' })
  slug: string;

  @NameField({ example: 'Importer' })
  name: string;
}

export class UpdateAgentBody {
  @NameField({ optional: true, example: 'Night importer' })
  name?: string;
}
