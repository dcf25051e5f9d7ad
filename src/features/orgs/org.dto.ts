import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ORG_SLUG, PUBLIC_DOMAIN } from '../../base/kernel/names.js';
import {
  FlagField,
  NestedField,
  ObjectField,
  TextField,
  TextListField,
} from '../../platform/http/field.decorators.js';
import type { JoinRule, Org } from './org.entity.js';
import { NameField, SlugField } from './right.fields.js';

function SettingsField() {
  return ObjectField({
    optional: true,
    description: 'Settings of the organization, readable by its members.',
    example: { theme: 'dark' },
  });
}

function SubscriptionField() {
  return ObjectField({
    optional: true,
    description: 'Subscription of the organization, as any JSON object.',
    example: { plan: 'team' },
  });
}

export class CreateOrgBody {
  @TextField({
    min: 2,
    max: 40,
    pattern: ORG_SLUG,
    hint: 'a-z 0-9 _ -, a letter or digit first',
    description:
      'Part of URLs and API keys. It can never be used again, even after the organization is deleted.',
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

class JoinRuleBody {
  @TextField({
    pattern: PUBLIC_DOMAIN,
    hint: 'a domain in lower case',
    description: 'Domain of the e-mail address.',
    example: 'example.com',
  })
  domain: string;

  @SlugField({ description: 'Role that they get when they join.', example: 'member' })
  roleSlug: string;

  @TextListField({ optional: true, description: 'Slugs of the groups that they join.', example: [] })
  groups?: string[];

  @FlagField({ optional: true, description: 'Shown by reads. Ignored here.', example: true })
  effective?: boolean;
}

class JoinRuleView {
  @ApiProperty({ example: 'example.com' }) domain: string;
  @ApiProperty({ example: 'member' }) roleSlug: string;
  @ApiProperty({ type: [String], required: false }) groups?: readonly string[];
  @ApiProperty({
    description:
      'false: the organization has not proved the domain, and none of its identity providers names it. The rule then admits nobody but people who sign in at its own provider.',
  })
  effective: boolean;
}

class AnonymousBody {
  @FlagField({ description: 'Whether anonymous users can join.', example: false })
  enabled: boolean;

  @SlugField({ description: 'Role that they get when they join.', example: 'member' })
  role: string;
}

class OrgAuthBody {
  @NestedField(() => AnonymousBody, { optional: true, description: 'Anonymous login.' })
  anonymous?: AnonymousBody;
}

class SignUpBody {
  @FlagField({
    description: 'Whether people sign up with their e-mail address, if this installation sends mail.',
    example: true,
  })
  email: boolean;

  @SlugField({
    description: 'Role that they get. It cannot be `owner`, `admin` or `member`.',
    example: 'customer',
  })
  roleSlug: string;

  @TextListField({ optional: true, description: 'Slugs of the groups that they join.', example: [] })
  groups?: string[];

  @TextListField({
    optional: true,
    pattern: PUBLIC_DOMAIN,
    hint: 'domains in lower case',
    description: 'Domains of the addresses that may sign up. Empty or absent: all.',
    example: ['example.com'],
  })
  domains?: string[];
}

class SignUpView {
  @ApiProperty({ description: 'Whether people sign up with their e-mail address.' }) email: boolean;
  @ApiProperty({ example: 'customer' }) roleSlug: string;
  @ApiProperty({ type: [String], required: false }) groups?: readonly string[];
  @ApiProperty({ type: [String], required: false }) domains?: readonly string[];
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
    description: 'Role of new members if no other role is given.',
    example: 'member',
  })
  defaultRole?: string;

  @NestedField(() => JoinRuleBody, {
    list: true,
    optional: true,
    description:
      'Rules by which people with a verified e-mail address of a domain join, and with which role. A rule that you add or change needs a proved domain, or one in `domains` of an identity provider of the organization.',
    example: [{ domain: 'example.com', roleSlug: 'member' }],
  })
  joinRules?: JoinRuleBody[];

  @NestedField(() => OrgAuthBody, {
    optional: true,
    description: 'Ways to sign in.',
    example: { anonymous: { enabled: false, role: 'member' } },
  })
  auth?: OrgAuthBody;

  @NestedField(() => SignUpBody, {
    optional: true,
    description:
      'Sign-up with an e-mail address, for the people of an application (`POST /v2/login/email`). They see neither the other members nor what is shared with the organization.',
  })
  signUp?: SignUpBody;
}

export class OrgView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ example: 'acme' }) slug: string;
  @ApiProperty({ example: 'Acme' }) name: string;
  @ApiProperty({ type: 'object', additionalProperties: true }) settings: Record<string, unknown>;
  @ApiProperty({ type: 'object', additionalProperties: true }) subscription: Record<string, unknown>;
  @ApiProperty({ example: 'member' }) defaultRole: string;
  @ApiProperty({ type: [JoinRuleView] }) joinRules: JoinRuleView[];
  @ApiProperty({ type: OrgAuthBody }) auth: Org['auth'];
  @ApiPropertyOptional({
    type: SignUpView,
    description: 'Sign-up with an e-mail address. Absent: it was never set, so it is off.',
  })
  signUp?: SignUpView;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ format: 'date-time' }) updatedAt: string;

  /** `domains`: `{slug}={domain}` for the domains for which join rules take effect. */
  static of(this: void, org: Org, domains: ReadonlySet<string>): OrgView {
    return {
      id: org.id,
      slug: org.slug,
      name: org.name,
      settings: org.settings,
      subscription: org.subscription,
      defaultRole: org.defaultRole,
      joinRules: org.joinRules.map((rule: JoinRule) => ({
        ...rule,
        effective: domains.has(`${org.slug}=${rule.domain}`),
      })),
      auth: org.auth,
      ...(org.signUp !== null && { signUp: org.signUp }),
      createdAt: org.createdAt.toISOString(),
      updatedAt: org.updatedAt.toISOString(),
    };
  }
}

export class OrgListView {
  @ApiProperty({ type: [OrgView] }) results: OrgView[];
  @ApiProperty() total: number;
}
