import { ApiProperty } from '@nestjs/swagger';
import { ERROR_STATUS } from '../kernel/errors.js';

/** The body of every error (spec 2.3). `docs/errors.md` explains the codes. */
export class ErrorView {
  @ApiProperty({ enum: Object.keys(ERROR_STATUS), example: 'InvalidArguments' })
  error: string;

  @ApiProperty({ example: 'limit: expects a whole number from 1 to 100' })
  message: string;

  @ApiProperty({
    required: false,
    description: 'What helps to mend the request, for example the failing fields.',
    oneOf: [
      { type: 'array', items: {} },
      { type: 'object', additionalProperties: true },
    ],
  })
  details?: unknown;
}
