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
    description:
      'The answer as a sentence; all its figures come from `data`. If the question cannot be answered, the reason.',
    example: '1 record matches.',
  })
  answer: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description:
      'The read that produced the answer. Its `operation` is `query`, `count`, `distinct` or `aggregate`, and you can send the plan to that operation unchanged. With `several`, you can send each `plan` of its `reads`. Null: there is no answer.',
    example: { operation: 'count', filter: { city: 'London' } },
  })
  plan: Plan | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Result of the read: `records`, `count`, `values` or `results`. Empty if there is no plan.',
    example: { count: 1 },
  })
  data: PlanData | Record<string, never>;
}
