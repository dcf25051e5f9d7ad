import { ApiProperty } from '@nestjs/swagger';
import { MAX_LIMIT } from '../../base/kernel/limits.js';
import { ORG_SLUG } from '../../base/kernel/names.js';
import { IntegerField, TextField } from '../../platform/http/field.decorators.js';
import { PageQuery } from '../../platform/http/list-page.js';
import { NameField, SlugField } from '../orgs/right.fields.js';
import type { WorkspaceRow } from './workspace-rows.js';

function DescriptionField() {
  return TextField({
    min: 0,
    max: 2000,
    optional: true,
    nullable: true,
    description: 'What the collection is for.',
    example: 'Answers customers.',
  });
}

function WorkspaceSlugField() {
  return SlugField({
    optional: true,
    description: 'Unique in the organization. Absent: derived from the name.',
    example: 'support',
  });
}

export class ListWorkspacesQuery extends PageQuery {
  @IntegerField({
    min: 1,
    max: MAX_LIMIT,
    optional: true,
    default: MAX_LIMIT,
    description: 'Entries per page.',
  })
  override limit: number = MAX_LIMIT;
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
    description: 'Slug of the organization. Absent: the active organization.',
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

export class WorkspaceView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ example: 'Support' }) name: string;
  @ApiProperty({ example: 'support' }) slug: string;
  @ApiProperty({ type: String, nullable: true, example: 'Answers customers.' }) description: string | null;
  @ApiProperty({ example: 'default' }) orgSlug: string;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ format: 'date-time' }) updatedAt: string;

  static of(this: void, workspace: Omit<WorkspaceRow, 'role'>): WorkspaceView {
    const { id, name, slug, description, orgSlug, createdAt, updatedAt } = workspace;
    const moments = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
    return { id, name, slug, description, orgSlug, ...moments };
  }
}
