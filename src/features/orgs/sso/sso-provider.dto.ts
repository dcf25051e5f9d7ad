import { ApiProperty } from '@nestjs/swagger';
import { DOMAIN, ORG_SLUG } from '../../../base/kernel/names.js';
import {
  ChoiceField,
  FlagField,
  JsonField,
  NestedField,
  TextField,
  TextListField,
} from '../../../platform/http/field.decorators.js';
import { NameField, SlugField } from '../right.fields.js';
import { callbackPath, DEFAULT_MAPPING, DEFAULT_SCOPES, type SsoProvider } from './sso-provider.entity.js';

const MAX_URL = 1000;
const MAX_SCOPES = 50;
/** RFC 6749, 3.3: scope-token. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

function UrlField(description: string, example?: string) {
  return TextField({ optional: true, nullable: true, max: MAX_URL, description, example });
}

/** A list, or one string with spaces as in OAuth. */
function OAuthScopesField() {
  return JsonField({
    optional: true,
    description: 'Scopes to request from the provider, besides `openid`. Default: openid, email, profile.',
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
  return TextField({
    optional: true,
    max: 100,
    description: 'Claim of the ID token that has the value.',
    example,
  });
}

class SsoConfigBody {
  @TextField({
    max: MAX_URL,
    description: 'Issuer, exactly as the provider writes it in its tokens.',
    example: 'https://login.example.com/realms/acme',
  })
  issuer: string;

  @TextField({ description: 'Client id that the provider gave to this service.', example: 'collections' })
  client_id: string;

  @TextField({
    optional: true,
    nullable: true,
    description:
      'Client secret. Encrypted at rest and never shown again. In a PUT: absent keeps it, null removes it.',
    example: 'the-secret-the-provider-gave-you',
  })
  client_secret?: string | null;

  @UrlField("URL of the endpoint. Absent: taken from the provider's discovery document.")
  authorization_endpoint?: string | null;

  @UrlField("URL of the endpoint. Absent: taken from the provider's discovery document.")
  token_endpoint?: string | null;

  @UrlField("URL of the endpoint. Absent: taken from the provider's discovery document.")
  jwks_uri?: string | null;

  @OAuthScopesField()
  scopes?: string[] | string;

  @FlagField({
    optional: true,
    default: false,
    description: 'Whether clients can exchange an id_token of this provider for a JWT of this service.',
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
  @NameField({ description: 'Name shown on the sign-in page.', example: 'Acme staff' })
  name: string;

  @ChoiceField(['oidc'], {
    optional: true,
    default: 'oidc',
    description: 'Protocol of the identity provider.',
    example: 'oidc',
  })
  type?: 'oidc';

  @UrlField('URL of an image for the sign-in button.')
  icon?: string | null;

  @NestedField(() => SsoConfigBody, {
    description: 'Settings of the identity provider.',
    example: { issuer: 'https://login.example.com/realms/acme', client_id: 'collections' },
  })
  config: SsoConfigBody;

  @NestedField(() => AttributesMappingBody, {
    optional: true,
    description:
      'Names of the claims that have the e-mail address and the names of a person, if they are not the standard claims.',
    example: {},
  })
  attributesMapping?: AttributesMappingBody;

  @TextListField({
    optional: true,
    pattern: DOMAIN,
    hint: 'domains in lower case',
    description: 'E-mail domains whose addresses may sign in. Empty: all domains.',
    example: ['example.com'],
  })
  domains?: string[];

  @SlugField({
    optional: true,
    nullable: true,
    description:
      'Role of people who join through this provider. You must be able to grant it yourself. Absent: the default role of the organization.',
    example: 'member',
  })
  defaultRole?: string | null;

  @TextField({
    optional: true,
    nullable: true,
    pattern: ORG_SLUG,
    hint: 'the slug of the organization',
    description: 'Slug of the organization. Optional; must be the slug in the path.',
  })
  orgSlug?: string | null;

  @FlagField({
    optional: true,
    description:
      'Whether the provider has a redirect URI of its own, `{PUBLIC_URL}/v2/login/callback/{slug}`. Providers of organizations have one, except those from before there were such URIs: `true` gives them one. It cannot be taken away. An entry of AUTH_PROVIDERS_FILE has one only with `true`.',
    example: true,
  })
  ownRedirectUri?: boolean;

  @FlagField({
    optional: true,
    default: true,
    description: 'Whether people can sign in with this provider.',
    example: true,
  })
  enabled?: boolean;
}

/** The body of a request, and an entry of AUTH_PROVIDERS_FILE. */
export class CreateSsoProviderBody extends SsoProviderBody {
  @SlugField({
    description: 'Unique in the whole service. It can never be used again.',
    example: 'acme-staff',
  })
  slug: string;
}

/** The whole new provider. Only the secret may be left out, because no response contains it. */
export class ReplaceSsoProviderBody extends SsoProviderBody {
  @SlugField({ optional: true, description: 'Optional; must be the slug in the path.' })
  slug?: string;
}

class SsoConfigView {
  @ApiProperty({ example: 'https://login.example.com/realms/acme' }) issuer: string;
  @ApiProperty({ example: 'collections' }) client_id: string;
  @ApiProperty({ description: 'Whether a client secret is set. The secret itself is never shown.' })
  hasClientSecret: boolean;
  @ApiProperty({
    required: false,
    description: "URL of the endpoint. Absent: taken from the provider's discovery document.",
  })
  authorization_endpoint?: string;
  @ApiProperty({
    required: false,
    description: "URL of the endpoint. Absent: taken from the provider's discovery document.",
  })
  token_endpoint?: string;
  @ApiProperty({
    required: false,
    description: "URL of the endpoint. Absent: taken from the provider's discovery document.",
  })
  jwks_uri?: string;
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
  @ApiProperty({
    description: 'The address to register as redirect URI at the identity provider.',
    example: 'https://collections.example.com/v2/login/callback/acme-staff',
  })
  redirectUri: string;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ format: 'date-time' }) updatedAt: string;

  static of(this: void, row: SsoProvider, orgSlug: string, publicUrl: string): SsoProviderView {
    const { id, slug, name, icon, config, sealedSecret, attributesMapping, domains } = row;
    return {
      ...{ id, slug, name, type: 'oidc' },
      ...(icon !== null && { icon }),
      config: { ...config, hasClientSecret: sealedSecret !== null },
      ...{ attributesMapping, domains },
      ...(row.defaultRole !== null && { defaultRole: row.defaultRole }),
      ...{ orgSlug, enabled: row.enabled, redirectUri: `${publicUrl}${callbackPath(row)}` },
      createdAt: row.createdAt.toISOString(),
      updatedAt: row.updatedAt.toISOString(),
    };
  }
}

export class SsoProviderListView {
  @ApiProperty({ type: [SsoProviderView] }) results: SsoProviderView[];
  @ApiProperty() total: number;
}
