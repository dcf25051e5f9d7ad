import { DateTimeField, TextField } from '../../http/field.decorators.js';

export class MintAccessTokenBody {
  @TextField({ max: 200, description: 'What the token is for.', example: 'nightly import' })
  name: string;

  /** Its example is counted from the day on which the description is served: no fixed date stays within a year. */
  @DateTimeField({ description: 'When the token ends: in the future, at most one year from now.' })
  expiresAt: string;
}
