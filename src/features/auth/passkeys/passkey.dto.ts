import { ApiProperty } from '@nestjs/swagger';
import { ChoiceField, JsonField, ObjectField, TextField } from '../../../platform/http/field.decorators.js';
import type { Passkey } from './passkey.entity.js';

/** `PublicKeyCredential.toJSON()` of the browser, without the response, which differs by ceremony. */
class CredentialBody {
  @TextField({
    max: 1400,
    description: 'Id of the credential in base64url.',
    example: 'kVG5dUgKCbQxRr2mPZ8yLw',
  })
  id: string;

  @TextField({ max: 1400, description: 'The same id.', example: 'kVG5dUgKCbQxRr2mPZ8yLw' })
  rawId: string;

  @ChoiceField(['public-key'], { description: 'Type of the credential.', example: 'public-key' })
  type: 'public-key';

  @TextField({ optional: true, nullable: true, max: 50, description: 'Accepted, not used.' })
  authenticatorAttachment?: string | null;

  @ObjectField({ optional: true, description: 'Accepted, not used.' })
  clientExtensionResults?: Record<string, unknown>;
}

/** Base64url of `{"type":"webauthn.`, with which all client data begin. The examples are shorter than real ones. */
const CLIENT_DATA = 'eyJ0eXBlIjoid2ViYXV0aG4u';

const TEXTS = { type: 'object', additionalProperties: true } as const;

/** The response has these texts. Browsers may add others. */
function hasTexts(...names: string[]): (value: unknown) => boolean {
  return value =>
    typeof value === 'object' &&
    value !== null &&
    names.every(name => typeof (value as Record<string, unknown>)[name] === 'string');
}

const NAME = { max: 100, hint: 'your choice', description: 'Name of the passkey.', example: 'My laptop' };

/** The JSON of a created credential (`PublicKeyCredential.toJSON()`, WebAuthn level 3), which may have a name. */
export class CreatedCredentialBody extends CredentialBody {
  @JsonField({
    description: 'Response of the authenticator to `navigator.credentials.create`.',
    example: {
      clientDataJSON: `${CLIENT_DATA}Y3JlYXRlIn0`,
      attestationObject: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVjF',
      transports: ['internal'],
    },
    schema: TEXTS,
    check: hasTexts('clientDataJSON', 'attestationObject'),
    expects: 'an object with the texts clientDataJSON and attestationObject',
  })
  response: { clientDataJSON: string; attestationObject: string; transports?: string[] };

  @TextField({ ...NAME, optional: true, description: 'Name of the passkey; default: Passkey.' })
  name?: string;
}

/** The JSON of a used credential (`PublicKeyCredential.toJSON()`, WebAuthn level 3). */
export class UsedCredentialBody extends CredentialBody {
  @JsonField({
    description: 'Response of the authenticator to `navigator.credentials.get`.',
    example: {
      clientDataJSON: `${CLIENT_DATA}Z2V0In0`,
      authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ',
      signature: 'MEUCIQDx7bV1c0vQ2mJ4WcQ1o0gk',
    },
    schema: TEXTS,
    check: hasTexts('clientDataJSON', 'authenticatorData', 'signature'),
    expects: 'an object with the texts clientDataJSON, authenticatorData and signature',
  })
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string };
}

export class StartInvitedRegistrationBody {
  @TextField({
    max: 200,
    description: 'The code of the invitation.',
    example: 'inv_Yx0q4c8tN1sVb7mK3rWf9zLp2dHj6gEu5aToXiCyQnR',
  })
  code: string;

  @TextField({ max: 200, description: 'Name of the person.', example: 'Ada Lovelace' })
  name: string;
}

export class RenamePasskeyBody {
  @TextField(NAME)
  name: string;
}

export class PasskeyView {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ example: 'My laptop' })
  name: string;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Last sign-in with it; null before the first.',
  })
  last_used_at: string | null;

  static of(this: void, { id, name, createdAt, lastUsedAt }: Passkey): PasskeyView {
    return {
      id,
      name,
      created_at: createdAt.toISOString(),
      last_used_at: lastUsedAt?.toISOString() ?? null,
    };
  }
}

export class PasskeyListView {
  @ApiProperty({ type: [PasskeyView] })
  results: PasskeyView[];

  @ApiProperty()
  total: number;
}

/** Who is signed in now. The token is only in the cookie. */
export class SignedInView {
  @ApiProperty({ format: 'uuid' })
  userId: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'acme',
    description: 'Slug of the active organization; null for a person without one.',
  })
  active_org: string | null;
}
