import { ApiProperty } from '@nestjs/swagger';
import {
  ChoiceField,
  FlagField,
  JsonField,
  NestedField,
  TextField,
  TextListField,
} from '../../http/field.decorators.js';
import { NameField, ORG_SLUG, SlugField } from '../right.fields.js';
import { DEFAULT_MAPPING, DEFAULT_SCOPES, type SsoProvider } from './sso-provider.entity.js';

const MAX_URL = 1000;
const MAX_SCOPES = 50;
/** RFC 6749, 3.3: scope-token. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;
/** RFC 1123, 2.1. Domains of intranets may have no dot. */
const DOMAIN = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;

function UrlField(description: string, example?: string) {
  return TextField({ optional: true, nullable: true, max: MAX_URL, description, example });
}

/** A list, or one string with spaces as in OAuth. */
function OAuthScopesField() {
  return JsonField({
    optional: true,
    description: 'What is asked of the provider, besides `openid`. Default: openid, email, profile.',
    example: ['openid', 'email', 'profile'],
    schema: {
      oneOf: [{ type: 'array', items: { type: 'string' }, maxItems: MAX_SCOPES }, { type: 'string' }],
    },
    expects: 'a list of scopes, or a string of scopes separated by spaces',
    check: value => {
      const scopes = typeof value === 'string' ? value.split(' ') : value;
      if (!Array.isArray(scopes) || scopes.length === 0 || scopes.length > MAX_SCOPES) return false;
      return scopes.every(each => typeof each === 'string' && SCOPE.test(each));
    },
  });
}

function ClaimField(example: string) {
  return TextField({ optional: true, max: 100, description: 'The claim that holds it.', example });
}

class SsoConfigBody {
  @TextField({
    max: MAX_URL,
    description: 'Exactly as the provider writes it in its tokens.',
    example: 'https://login.example.com/realms/acme',
  })
  issuer: string;

  @TextField({ description: 'What the provider calls us.', example: 'collections' })
  client_id: string;

  @TextField({
    optional: true,
    nullable: true,
    description: 'Encrypted at rest and never shown again. In a PUT: absent keeps it, null removes it.',
    example: 'the-secret-the-provider-gave-you',
  })
  client_secret?: string | null;

  @UrlField('Absent: from discovery.')
  authorization_endpoint?: string | null;

  @UrlField('Absent: from discovery.')
  token_endpoint?: string | null;

  @UrlField('Absent: from discovery.')
  jwks_uri?: string | null;

  @OAuthScopesField()
  scopes?: string[] | string;

  @FlagField({
    optional: true,
    default: false,
    description: 'May clients that hold an id_token of this provider exchange it for a JWT of ours?',
    example: false,
  })
  allowTokenExchange?: boolean;
}

class AttributesMappingBody {
  @ClaimField('email')
  email?: string;

  @ClaimField('given_name')
  firstName?: string;

  @ClaimField('family_name')
  lastName?: string;
}

/** All fields of a provider except its slug. */
export class SsoProviderBody {
  @NameField({ description: 'What people choose it by.', example: 'Acme staff' })
  name: string;

  @ChoiceField(['oidc'], { optional: true, default: 'oidc', description: 'Protocol.', example: 'oidc' })
  type?: 'oidc';

  @UrlField('Address of a picture for the button.')
  icon?: string | null;

  @NestedField(() => SsoConfigBody, {
    description: 'The provider.',
    example: { issuer: 'https://login.example.com/realms/acme', client_id: 'collections' },
  })
  config: SsoConfigBody;

  @NestedField(() => AttributesMappingBody, {
    optional: true,
    description: 'Claims that name a person, where they are not the standard ones.',
    example: {},
  })
  attributesMapping?: AttributesMappingBody;

  @TextListField({
    optional: true,
    pattern: DOMAIN,
    hint: 'domains in lower case',
    description: 'E-mail domains it may sign in; none: any.',
    example: ['example.com'],
  })
  domains?: string[];

  @SlugField({
    optional: true,
    nullable: true,
    description: "Role people join with, one that you could give; absent: the organization's default.",
    example: 'member',
  })
  defaultRole?: string | null;

  @TextField({
    optional: true,
    nullable: true,
    pattern: ORG_SLUG,
    hint: 'the slug of the organization',
    description: 'The organization, if sent.',
  })
  orgSlug?: string | null;

  @FlagField({ optional: true, default: true, description: 'May people sign in with it?', example: true })
  enabled?: boolean;
}

/** The body of a request, and an entry of AUTH_PROVIDERS_FILE. */
export class CreateSsoProviderBody extends SsoProviderBody {
  @SlugField({ description: 'Unique over the platform; never free again.', example: 'acme-staff' })
  slug: string;
}

/** The whole new provider. Only the secret may be left out, because no response contains it. */
export class ReplaceSsoProviderBody extends SsoProviderBody {
  @SlugField({ optional: true, description: 'As in the path, if sent.' })
  slug?: string;
}

class SsoConfigView {
  @ApiProperty({ example: 'https://login.example.com/realms/acme' }) issuer: string;
  @ApiProperty({ example: 'collections' }) client_id: string;
  @ApiProperty({ description: 'The secret itself is never shown.' }) hasClientSecret: boolean;
  @ApiProperty({ required: false, description: 'Absent: from discovery.' }) authorization_endpoint?: string;
  @ApiProperty({ required: false, description: 'Absent: from discovery.' }) token_endpoint?: string;
  @ApiProperty({ required: false, description: 'Absent: from discovery.' }) jwks_uri?: string;
  @ApiProperty({ type: [String], example: DEFAULT_SCOPES }) scopes: readonly string[];
  @ApiProperty() allowTokenExchange: boolean;
}

class AttributesMappingView {
  @ApiProperty({ example: DEFAULT_MAPPING.email }) email: string;
  @ApiProperty({ example: DEFAULT_MAPPING.firstName }) firstName: string;
  @ApiProperty({ example: DEFAULT_MAPPING.lastName }) lastName: string;
}

/** An identity provider without its secret. */
export class SsoProviderView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ example: 'acme-staff' }) slug: string;
  @ApiProperty({ example: 'Acme staff' }) name: string;
  @ApiProperty({ enum: ['oidc'] }) type: 'oidc';
  @ApiProperty({ required: false, example: 'https://example.com/icon.svg' }) icon?: string;
  @ApiProperty({ type: SsoConfigView }) config: SsoConfigView;
  @ApiProperty({ type: AttributesMappingView }) attributesMapping: AttributesMappingView;
  @ApiProperty({ type: [String], example: ['example.com'] }) domains: string[];
  @ApiProperty({ required: false, example: 'member' }) defaultRole?: string;
  @ApiProperty({ example: 'acme' }) orgSlug: string;
  @ApiProperty() enabled: boolean;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ format: 'date-time' }) updatedAt: string;

  static of(this: void, row: SsoProvider, orgSlug: string): SsoProviderView {
    const { id, slug, name, icon, config, sealedSecret, attributesMapping, domains } = row;
    return {
      ...{ id, slug, name, type: 'oidc' },
      ...(icon !== null && { icon }),
      config: { ...config, hasClientSecret: sealedSecret !== null },
      ...{ attributesMapping, domains },
      ...(row.defaultRole !== null && { defaultRole: row.defaultRole }),
      ...{ orgSlug, enabled: row.enabled },
      createdAt: row.createdAt.toISOString(),
      updatedAt: row.updatedAt.toISOString(),
    };
  }
}

export class SsoProviderListView {
  @ApiProperty({ type: [SsoProviderView] }) results: SsoProviderView[];
  @ApiProperty() total: number;
}
