import { DateTimeField, TextField } from '../../http/field.decorators.js';

export class MintAccessTokenBody {
  @TextField({ max: 200, description: 'What the token is for.', example: 'nightly import' })
  name: string;

  /** No example: whatever date it were, it would be too late one day, and a later one is too late already. */
  @DateTimeField({ description: 'When the token ends: in the future, at most one year from now.' })
  expiresAt: string;
}
