import { ApiProperty } from '@nestjs/swagger';
import { IntegerField, TextField } from '../../../platform/http/field.decorators.js';

export class LogInAnonymouslyBody {
  @IntegerField({
    optional: true,
    min: 60,
    description: 'Seconds until the session ends, at most ACCESS_TOKENS_MAX_AGE (the default).',
    example: 3600,
  })
  expiresAfter?: number;

  @TextField({
    optional: true,
    max: 40,
    description:
      'Slug of an organization to join with its role for anonymous users. The organization must have anonymous login enabled.',
  })
  orgSlug?: string;
}

export class AnonymousLoginView {
  @ApiProperty({ format: 'uuid' })
  userId: string;

  @ApiProperty({ format: 'uuid' })
  sessionId: string;

  @ApiProperty({ description: 'JWT of the session.', example: 'eyJhbGciOiJSUzI1NiIs…' })
  token: string;

  @ApiProperty({ format: 'date-time' })
  expires: string;
}

export class LoginProviderView {
  @ApiProperty({ example: 'google' })
  slug: string;

  @ApiProperty({ example: 'Google' })
  name: string;

  @ApiProperty({ example: 'oidc' })
  type: string;

  @ApiProperty({ required: false, example: 'https://example.com/icon.svg' })
  icon?: string;
}

export class ListLoginProvidersQuery {
  @TextField({
    optional: true,
    max: 40,
    description:
      'Slug of an organization: `anonymous` and `email` then tell whether it admits anonymous users and people who sign in by e-mail.',
    example: 'default',
  })
  orgSlug?: string;
}

export class LoginProvidersView {
  @ApiProperty({
    description:
      'true: anonymous users can sign in with POST /v2/login/anonymous. With `orgSlug`: and join this organization.',
  })
  anonymous: boolean;

  @ApiProperty({ description: 'true: people can sign in with passkeys.' })
  passkeys: boolean;

  @ApiProperty({
    required: false,
    description:
      'true: people can sign in with a code by e-mail (POST /v2/login/email). With `orgSlug`: to this organization. Absent where they cannot.',
  })
  email?: boolean;

  @ApiProperty({ type: [LoginProviderView] })
  providers: LoginProviderView[];
}

export class StartLoginQuery {
  @TextField({ max: 200, description: 'Slug of the provider.', example: 'acme-staff' })
  provider: string;

  @TextField({
    optional: true,
    max: 2048,
    description:
      'Where the browser goes after signing in: a path that begins with one /, or a URL of this service.',
    example: '/docs',
  })
  redirect?: string;
}
