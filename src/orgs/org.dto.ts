import { FlagField, NestedField, ObjectField, TextField, TextListField } from '../http/field.decorators.js';
import { ORG_SLUG } from './org-slug.js';
import { NameField, SlugField } from './right.fields.js';

const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;

function SettingsField() {
  return ObjectField({
    optional: true,
    description: 'Settings of the organization, readable by its members.',
    example: { theme: 'dark' },
  });
}

function SubscriptionField() {
  return ObjectField({ optional: true, description: 'What it is subscribed to.', example: { plan: 'team' } });
}

export class CreateOrgBody {
  @TextField({
    min: 2,
    max: 40,
    pattern: ORG_SLUG,
    hint: 'a-z 0-9 _ -, a letter or digit first',
    description: 'Part of addresses and keys; never free again, even after deletion.',
    example: 'acme',
  })
  slug: string;

  @NameField({ example: 'Acme' })
  name: string;

  @SettingsField()
  settings?: Record<string, unknown>;

  @SubscriptionField()
  subscription?: Record<string, unknown>;
}

export class JoinRuleBody {
  @TextField({
    pattern: DOMAIN,
    hint: 'a domain in lower case',
    description: 'Domain of the e-mail address.',
    example: 'example.com',
  })
  domain: string;

  @SlugField({ description: 'Role they join with.', example: 'member' })
  roleSlug: string;

  @TextListField({ optional: true, description: 'Slugs of groups they join.', example: [] })
  groups?: string[];
}

export class AnonymousBody {
  @FlagField({ description: 'May anonymous users join?', example: false })
  enabled: boolean;

  @SlugField({ description: 'Role they join with.', example: 'member' })
  role: string;
}

export class OrgAuthBody {
  @NestedField(() => AnonymousBody, { optional: true, description: 'Anonymous login.' })
  anonymous?: AnonymousBody;
}

export class UpdateOrgBody {
  @NameField({ optional: true, example: 'Acme Ltd' })
  name?: string;

  @SettingsField()
  settings?: Record<string, unknown>;

  @SubscriptionField()
  subscription?: Record<string, unknown>;

  @SlugField({
    optional: true,
    description: 'Role of new members, if nothing else is said.',
    example: 'member',
  })
  defaultRole?: string;

  @NestedField(() => JoinRuleBody, {
    list: true,
    optional: true,
    description: 'Who joins by a verified e-mail address of a domain, and as what.',
    example: [{ domain: 'example.com', roleSlug: 'member' }],
  })
  joinRules?: JoinRuleBody[];

  @NestedField(() => OrgAuthBody, {
    optional: true,
    description: 'How people may sign in.',
    example: { anonymous: { enabled: false, role: 'member' } },
  })
  auth?: OrgAuthBody;
}
