import { IntegerField, TextField } from '../http/field.decorators.js';
import { MAX_LIMIT, type Page } from '../kernel/page.js';
import { ORG_SLUG } from '../orgs/org-slug.js';
import { NameField, SlugField } from '../orgs/right.fields.js';

function DescriptionField() {
  return TextField({
    min: 0,
    max: 2000,
    optional: true,
    nullable: true,
    description: 'What it is for.',
    example: 'Answers customers.',
  });
}

function WorkspaceSlugField() {
  return SlugField({
    optional: true,
    description: 'Unique in the organization; absent: made of the name.',
    example: 'support',
  });
}

export class ListWorkspacesQuery implements Page {
  @IntegerField({
    min: 1,
    max: MAX_LIMIT,
    optional: true,
    default: MAX_LIMIT,
    description: 'Entries per page.',
  })
  limit: number = MAX_LIMIT;

  @IntegerField({
    min: 1,
    max: 1_000_000_000,
    optional: true,
    default: 1,
    description: 'Page number, from 1.',
  })
  page: number = 1;
}

export class CreateWorkspaceBody {
  @NameField({ example: 'Support' })
  name: string;

  @WorkspaceSlugField()
  slug?: string;

  @DescriptionField()
  description?: string | null;

  @TextField({
    min: 2,
    max: 40,
    pattern: ORG_SLUG,
    hint: 'a-z 0-9 _ -, a letter or digit first',
    optional: true,
    description: 'Its organization; absent: the active one.',
  })
  orgSlug?: string;
}

export class UpdateWorkspaceBody {
  @NameField({ optional: true, example: 'Customer support' })
  name?: string;

  @WorkspaceSlugField()
  slug?: string;

  @DescriptionField()
  description?: string | null;
}
