import { FlagField } from '../../http/field.decorators.js';
import { NameField, PermissionsField, ScopesField, SlugField } from '../right.fields.js';

export class CreateServiceAccountBody {
  @SlugField({ description: 'Unique in the organization; part of its subject.', example: 'nightly-import' })
  slug: string;

  @NameField({ example: 'Nightly import' })
  name: string;

  @PermissionsField({ example: ['collections:read', 'collections:write'] })
  permissions: string[];

  @ScopesField()
  scopes?: string[];
}

export class UpdateServiceAccountBody {
  @NameField({ optional: true, example: 'Hourly import' })
  name?: string;

  @PermissionsField({ optional: true, example: ['collections:read'] })
  permissions?: string[];

  @ScopesField()
  scopes?: string[];

  @FlagField({
    optional: true,
    description: 'True ends its sessions and gives it no token until it is false again.',
    example: false,
  })
  disabled?: boolean;
}
