import { ApiProperty } from '@nestjs/swagger';
import { TextField } from '../../http/field.decorators.js';
import type { Plan, PlanData } from '../question-planner.js';

export class AskCollectionBody {
  @TextField({
    max: 2000,
    description: 'A question about the records, in English or French.',
    example: 'How many people live in London?',
  })
  question: string;
}

export class AnswerView {
  @ApiProperty({
    description: 'A sentence whose every figure comes from `data`, or why there is no answer.',
    example: '1 record matches.',
  })
  answer: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description:
      'The read that answered, as `operation` takes it: `query`, `count`, `distinct` or `aggregate`. It can be sent there as it is. `several`: each `plan` of its `reads` can. null: no answer.',
    example: { operation: 'count', filter: { city: 'London' } },
  })
  plan: Plan | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'What the read gave: `records`, `count`, `values` or `results`. Empty without a plan.',
    example: { count: 1 },
  })
  data: PlanData | Record<string, never>;
}
