import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { DateTimeField, IntegerField, TextField } from '../../../platform/http/field.decorators.js';
import { SlugField } from '../right.fields.js';
import type { OrgInvite } from './invite.entity.js';

/** Finds typing errors only. Whether the address exists shows when somebody verifies it. */
export const EMAIL = /^[^\s@]+@[^\s@]+$/;

export class CreateInviteBody {
  @TextField({
    optional: true,
    max: 320,
    pattern: EMAIL,
    hint: 'an e-mail address',
    description: 'E-mail address of the person who is invited. Absent: anyone who has the code can join.',
    example: 'grace@example.com',
  })
  email?: string;

  @SlugField({
    description: 'Role of the people who join. You must be able to grant it yourself.',
    example: 'member',
  })
  roleSlug: string;

  @IntegerField({
    optional: true,
    min: 1,
    max: 100_000,
    default: 1,
    description: 'Number of people who can join with the code; 1 if `email` is sent.',
  })
  maxUses?: number;

  @DateTimeField({
    optional: true,
    nullable: true,
    description: 'When it expires; null or absent: never.',
    example: '2099-12-31T00:00:00Z',
  })
  expiresAt?: string | null;
}

export class JoinOrgBody {
  @TextField({
    max: 200,
    description: 'The code of an invitation.',
    example: 'inv_Yx0q4c8tN1sVb7mK3rWf9zLp2dHj6gEu5aToXiCyQnR',
  })
  code: string;
}

/** An invitation without its code. */
export class InviteView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' }) email: string | null;
  @ApiPropertyOptional({
    format: 'uuid',
    description:
      'Id of the invited user; null if the invitation is for an e-mail address or for anyone who has the code.',
  })
  userId?: string;
  @ApiProperty({ example: 'member' }) roleSlug: string;
  @ApiProperty({ type: [String], example: [] }) groups: string[];
  @ApiProperty({ type: 'integer', example: 1 }) maxUses: number;
  @ApiProperty({ type: 'integer', example: 0 }) uses: number;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) expiresAt: string | null;
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'Id of the user who created the invitation.',
  })
  invitedBy: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;

  static of(this: void, invite: OrgInvite): InviteView {
    return {
      id: invite.id,
      email: invite.email,
      ...(invite.userId !== null && { userId: invite.userId }),
      roleSlug: invite.roleSlug,
      groups: invite.groups,
      maxUses: invite.maxUses,
      uses: invite.uses,
      expiresAt: invite.expiresAt?.toISOString() ?? null,
      invitedBy: invite.invitedBy,
      createdAt: invite.createdAt.toISOString(),
    };
  }
}

/** An invitation with its code, which no other response contains. */
export class CreatedInviteView extends InviteView {
  @ApiProperty({
    description: 'Code to send to POST /v2/orgs/join. Shown only in this response.',
    example: 'inv_Yx0q4c8tN1sVb7mK3rWf9zLp2dHj6gEu5aToXiCyQnR',
  })
  code: string;

  @ApiProperty({
    description: 'Link with the code to the page where people join. Shown only in this response.',
    example: 'http://localhost:3000/console/join?code=inv_Yx0q4c8tN1sVb7mK3rWf9zLp2dHj6gEu5aToXiCyQnR',
  })
  url: string;

  @ApiPropertyOptional({
    enum: [true],
    description: 'true: the link is mailed to the address of the invitation. Absent: it is not.',
  })
  mailed?: true;
}

/** An invitation without a code, as the response that creates it shows it. */
export class AddedInvitationView extends InviteView {
  @ApiPropertyOptional({
    enum: [true],
    description:
      'true: the person is told by mail, if the invitation is for an address. Absent: they are not.',
  })
  mailed?: true;
}

export class InviteListView {
  @ApiProperty({ type: [InviteView] }) results: InviteView[];
  @ApiProperty() total: number;
}

/** An invitation as the invited person sees it. */
export class OwnInvitationView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ example: 'acme' }) orgSlug: string;
  @ApiProperty({ example: 'Acme' }) orgName: string;
  @ApiProperty({ example: 'member' }) roleSlug: string;
  @ApiProperty({ type: [String], example: [] }) groups: string[];
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) expiresAt: Date | null;
  @ApiProperty({ format: 'date-time' }) createdAt: Date;
}

export class OwnInvitationListView {
  @ApiProperty({ type: [OwnInvitationView] }) results: OwnInvitationView[];
  @ApiProperty() total: number;
}

export class JoinedOrgView {
  @ApiProperty({ example: 'acme' }) slug: string;
  @ApiProperty({ example: 'Acme' }) name: string;
  @ApiProperty({ example: 'member' }) roleSlug: string;
  @ApiProperty({ type: [String], example: [] }) groups: string[];
}
