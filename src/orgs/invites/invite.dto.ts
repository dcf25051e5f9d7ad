import { DateTimeField, IntegerField, TextField } from '../../http/field.decorators.js';
import { SlugField } from '../right.fields.js';

/** Enough to tell an address from a slip; whether it exists is shown by whoever claims it. */
export const EMAIL = /^[^\s@]+@[^\s@]+$/;

export class CreateInviteBody {
  @TextField({
    optional: true,
    max: 320,
    pattern: EMAIL,
    hint: 'an e-mail address',
    description: 'The one person it is for; absent: whoever has the code.',
    example: 'grace@example.com',
  })
  email?: string;

  @SlugField({ description: 'Role they join with, one that you could give.', example: 'member' })
  roleSlug: string;

  @IntegerField({
    optional: true,
    min: 1,
    max: 100_000,
    default: 1,
    description: 'How many people may join with it; with `email`, one.',
  })
  maxUses?: number;

  @DateTimeField({
    optional: true,
    nullable: true,
    description: 'When it dies; null or absent: never.',
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
