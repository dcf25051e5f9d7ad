import { DateTimeField, TextField } from '../../http/field.decorators.js';

export class MintAccessTokenBody {
  @TextField({ max: 200, description: 'What the token is for.', example: 'nightly import' })
  name: string;

  @DateTimeField({
    description: 'When the token ends: in the future, at most one year from now.',
    example: '2027-06-30T12:00:00Z',
  })
  expiresAt: string;
}
