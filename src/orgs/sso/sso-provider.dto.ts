import {
  ChoiceField,
  FlagField,
  NestedField,
  TextField,
  TextListField,
} from '../../http/field.decorators.js';
import { DOMAIN } from '../org.dto.js';
import { ORG_SLUG } from '../org-slug.js';
import { NameField, SlugField } from '../right.fields.js';

const MAX_URL = 1000;
/** RFC 6749, 3.3: scope-token. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

function UrlField(description: string, example?: string) {
  return TextField({ optional: true, max: MAX_URL, description, example });
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
  authorization_endpoint?: string;

  @UrlField('Absent: from discovery.')
  token_endpoint?: string;

  @UrlField('Absent: from discovery.')
  jwks_uri?: string;

  @TextListField({
    optional: true,
    min: 1,
    max: 50,
    pattern: SCOPE,
    hint: 'printable characters without blanks',
    description:
      'What is asked of the provider; `openid` must be among them. Default: openid, email, profile.',
    example: ['openid', 'email', 'profile'],
  })
  scopes?: string[];

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
  icon?: string;

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
    description: "Role people join with, one that you could give; absent: the organization's default.",
    example: 'member',
  })
  defaultRole?: string;

  @TextField({
    optional: true,
    pattern: ORG_SLUG,
    hint: 'the slug of the organization',
    description: 'The organization, if sent.',
  })
  orgSlug?: string;

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
