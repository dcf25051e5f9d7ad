import { ApiProperty } from '@nestjs/swagger';
import { NameField, PermissionsField, ScopesField, SlugField } from '../right.fields.js';
import { builtInRole, type Role } from './role.entity.js';

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

export class RoleView {
  @ApiProperty({ example: 'analyst' }) slug: string;
  @ApiProperty({ example: 'Analyst' }) name: string;
  @ApiProperty({ type: [String], example: ['collections:read'] }) permissions: readonly string[];
  @ApiProperty({ type: [String], example: [] }) scopes: readonly string[];
  @ApiProperty({ description: 'true: one of the roles that every organization has.' }) builtIn: boolean;

  static of(this: void, { slug, name, permissions, scopes }: Role): RoleView {
    return { slug, name, permissions, scopes, builtIn: builtInRole(slug) !== undefined };
  }
}

export class RoleListView {
  @ApiProperty({ type: [RoleView] }) results: RoleView[];
  @ApiProperty() total: number;
}
