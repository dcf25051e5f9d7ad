import { ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import type { GrantLimits, GrantPart, GrantParts } from '../../base/kernel/grant-parts.js';
import { JsonField } from '../../platform/http/field.decorators.js';

/** The decorators accept less than OpenAPI. */
function schema(described: object): ApiPropertyOptions {
  return described as ApiPropertyOptions;
}

const RULE = {
  oneOf: [{ type: 'boolean' }, { type: 'object', additionalProperties: true }],
  description: 'A filter of the query language, true, or false.',
} as const;

const RULES = schema({
  type: 'object',
  properties: { read: RULE, create: RULE, update: RULE, becomes: RULE, delete: RULE },
  required: ['read'],
  additionalProperties: false,
});

const NAMES = { type: 'object', additionalProperties: { type: 'integer', enum: [0, 1] } } as const;

const FIELDS = schema({
  type: 'object',
  properties: { read: NAMES, write: NAMES },
  additionalProperties: false,
});

const PER_MINUTE = { type: 'integer', minimum: 1 } as const;

const LIMITS = schema({
  type: 'object',
  properties: { reads_per_minute: PER_MINUTE, writes_per_minute: PER_MINUTE },
  additionalProperties: false,
});

const ABOUT = {
  rules:
    'Which records are seen and written. `read` is required; `create`, `update` and `delete` are as `read` if absent, ' +
    'and false if `read` is true or the principal is `anonymous`; `becomes` is as `update`.',
  fields: 'Which top-level fields are seen and written: all 1 (only these) or all 0 (all but these).',
  limits: 'How often one caller may use the collection. The general limits count too.',
} as const;

const EXAMPLES = {
  rules: { read: { team: { $in: '${user.groups}' } }, delete: false },
  fields: { read: { margin: 0 } },
  limits: { writes_per_minute: 30 },
} as const;

/** The parts of a grant in a request. An absent part stays as it is, and null removes it. */
export class GrantPartsBody implements GrantParts {
  @JsonField({
    optional: true,
    nullable: true,
    description: `${ABOUT.rules} Null removes the rules.`,
    example: EXAMPLES.rules,
    schema: RULES,
  })
  rules?: GrantPart | null;

  @JsonField({
    optional: true,
    nullable: true,
    description: `${ABOUT.fields} Null removes them.`,
    example: EXAMPLES.fields,
    schema: FIELDS,
  })
  fields?: GrantPart | null;

  @JsonField({
    optional: true,
    nullable: true,
    description: `${ABOUT.limits} Null removes them.`,
    example: EXAMPLES.limits,
    schema: LIMITS,
  })
  limits?: GrantLimits | null;
}

/** The parts of a grant in an answer: absent when they are not set. */
export class GrantPartsView {
  @ApiPropertyOptional({
    ...RULES,
    selfRequired: false,
    description: ABOUT.rules,
    example: EXAMPLES.rules,
  } as object)
  rules?: object;

  @ApiPropertyOptional({
    ...FIELDS,
    selfRequired: false,
    description: ABOUT.fields,
    example: EXAMPLES.fields,
  } as object)
  fields?: object;

  @ApiPropertyOptional({
    ...LIMITS,
    selfRequired: false,
    description: ABOUT.limits,
    example: EXAMPLES.limits,
  } as object)
  limits?: object;
}
