import {
  ChoiceField,
  FlagField,
  JsonField,
  NestedField,
  TextField,
  TextListField,
} from '../../http/field.decorators.js';
import { ORG_SLUG } from '../org-slug.js';
import { NameField, SlugField } from '../right.fields.js';

const MAX_URL = 1000;
const MAX_SCOPES = 50;
/** RFC 6749, 3.3: scope-token. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;
/** RFC 1123, 2.1. Intranets have domains without a dot. */
const DOMAIN = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;

function UrlField(description: string, example?: string) {
  return TextField({ optional: true, nullable: true, max: MAX_URL, description, example });
}

/** A list, or one text as OAuth writes it. */
function OAuthScopesField() {
  return JsonField({
    optional: true,
    description: 'What is asked of the provider, besides `openid`. Default: openid, email, profile.',
    example: ['openid', 'email', 'profile'],
    schema: {
      oneOf: [{ type: 'array', items: { type: 'string' }, maxItems: MAX_SCOPES }, { type: 'string' }],
    },
    expects: 'a list of scopes, or a text of scopes with blanks between them',
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

export class SsoConfigBody {
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

export class AttributesMappingBody {
  @ClaimField('email')
  email?: string;

  @ClaimField('given_name')
  firstName?: string;

  @ClaimField('family_name')
  lastName?: string;
}

/** Everything but the slug. */
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

/** Also an entry of AUTH_PROVIDERS_FILE. */
export class CreateSsoProviderBody extends SsoProviderBody {
  @SlugField({ description: 'Unique over the platform; never free again.', example: 'acme-staff' })
  slug: string;
}

/** The whole provider as it is to be; only its secret, which nobody can read back, may be left out. */
export class ReplaceSsoProviderBody extends SsoProviderBody {
  @SlugField({ optional: true, description: 'As in the path, if sent.' })
  slug?: string;
}
