import { NameField, PermissionsField, ScopesField, SlugField } from '../right.fields.js';

export class CreateRoleBody {
  @SlugField({ description: 'Unique in the organization.', example: 'analyst' })
  slug: string;

  @NameField({ example: 'Analyst' })
  name: string;

  @PermissionsField({ example: ['collections:read'] })
  permissions: string[];

  @ScopesField()
  scopes?: string[];
}

export class UpdateRoleBody {
  @NameField({ optional: true, example: 'Senior analyst' })
  name?: string;

  @PermissionsField({ optional: true, example: ['collections:read', 'collections:write'] })
  permissions?: string[];

  @ScopesField()
  scopes?: string[];
}
