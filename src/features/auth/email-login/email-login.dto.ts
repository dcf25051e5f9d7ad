import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { TextField } from '../../../platform/http/field.decorators.js';
import { EMAIL } from '../../orgs/invites/invite.dto.js';
import { AnonymousLoginView } from '../login/login.dto.js';

export class StartEmailLoginBody {
  @TextField({
    max: 320,
    pattern: EMAIL,
    hint: 'an e-mail address',
    description: 'E-mail address of the person.',
    example: 'grace@example.com',
  })
  email: string;

  @TextField({
    optional: true,
    max: 40,
    description: 'Slug of the organization to sign in to. It is active in the session.',
    example: 'default',
  })
  orgSlug?: string;

  @TextField({
    optional: true,
    max: 2048,
    description:
      'Where the browser goes after the link of the mail was used: a path that begins with one /, or a URL of this service.',
    example: '/docs',
  })
  redirect?: string;
}

export class StartedEmailLoginView {
  @ApiProperty({ description: 'Send it with the code of the mail.', example: 'Yx0q4c8tN1sVb7mK3rWf9w' })
  login_id: string;

  @ApiProperty({ format: 'date-time', description: 'When the code ends, 10 minutes after the request.' })
  expires_at: string;
}

function LoginIdField(options: { readonly optional?: true }) {
  return TextField({
    ...options,
    max: 100,
    description: 'From the response of startEmailLogin.',
    example: 'Yx0q4c8tN1sVb7mK3rWf9w',
  });
}

function CodeField(options: { readonly optional?: true }) {
  return TextField({
    ...options,
    max: 100,
    description: 'Code of the mail. Case, hyphens and spaces do not matter.',
    example: 'BCDF-GHJK',
  });
}

export class FinishEmailLoginBody {
  @LoginIdField({})
  login_id: string;

  @CodeField({})
  code: string;
}

export class FinishEmailLoginOfPageBody {
  @LoginIdField({ optional: true })
  login_id?: string;

  @CodeField({ optional: true })
  code?: string;

  @TextField({
    optional: true,
    max: 100,
    description:
      'Secret of the link of the mail, for the page that the link opens, instead of `login_id` and `code`.',
  })
  link?: string;
}

export class EmailLinkBody {
  @TextField({ max: 100, description: 'Secret of the link of the mail.' })
  link: string;
}

export class EmailLoginView extends AnonymousLoginView {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'default',
    description: 'Slug of the active organization.',
  })
  active_org: string | null;
}

/** What the page of the link shows. */
export class EmailLinkView {
  @ApiProperty({ example: 'grace@example.com' }) email: string;
  @ApiProperty({ type: String, nullable: true, example: 'Acme' }) orgName: string | null;
  @ApiPropertyOptional({ description: 'Where the browser goes afterwards.' }) redirect?: string;
}
