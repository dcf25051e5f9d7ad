import { ApiProperty } from '@nestjs/swagger';

/** Only of an answer that holds nothing. */
export function HintsField(): PropertyDecorator {
  return ApiProperty({
    type: [String],
    required: false,
    description:
      'Why nothing may have matched: fields that no record has, values of another type than the column.',
  });
}
