import { ApiProperty } from '@nestjs/swagger';
import { COLLECTION_ROLES } from '../../base/kernel/permission.js';
import { ChoiceField, JsonField, TextField } from '../../platform/http/field.decorators.js';

export class ExplainInsertBody {
  @ChoiceField(['user', 'agent', 'key', 'anonymous'], {
    optional: true,
    description: 'Kind of principal. Without one the answer is about the caller.',
  })
  principal_type?: 'user' | 'agent' | 'key' | 'anonymous';

  @TextField({ optional: true, max: 200, description: 'Id of the user, agent or key.' })
  principal_id?: string;

  @ChoiceField(['create'], { optional: true, description: 'Accepted, and has no effect.' })
  action?: 'create';

  @JsonField({
    description: 'The record that the principal would insert.',
    example: { email: 'grace@example.com', age: 36 },
  })
  record: unknown;
}

const ANY_FILTER = { type: 'object', additionalProperties: true } as const;

class ExplainedConditionView {
  @ApiProperty({
    ...ANY_FILTER,
    description: 'One condition of the rule, with its variables.',
    example: { status: 'draft' },
  })
  condition: object;

  @ApiProperty({ description: 'True if the record satisfies the condition.' }) holds: boolean;
}

export class ExplainedGrantView {
  @ApiProperty({
    description:
      'How the principal has the grant: `owner`, `user`, `group:<orgSlug>:<groupSlug>`, `org`, `anonymous`, `signup`, `agent_ids`, `org_role` (owner or ' +
      'admin of the organization), `collection_key`.',
    example: 'group:default:editors',
  })
  via: string;

  @ApiProperty({ enum: COLLECTION_ROLES, description: 'Role of the grant.' }) role: string;

  @ApiProperty({
    required: false,
    oneOf: [{ type: 'boolean' }, ANY_FILTER],
    description: 'The rule of the grant for the action, with its variables. True for a grant without rules.',
  })
  rule?: unknown;

  @ApiProperty({ required: false, description: 'Whether the rule holds for the record.' })
  holds?: boolean;

  @ApiProperty({
    type: [ExplainedConditionView],
    required: false,
    description: 'Each top-level condition of the rule, and whether it alone holds for the record.',
  })
  conditions?: ExplainedConditionView[];

  @ApiProperty({
    type: [String],
    nullable: true,
    description:
      'The fields that the grant shows, or for `create` and `update` lets the principal write; null: all.',
  })
  fields: string[] | null;
}

/** Callers without the right to share get only the grants that hold, without `rule`, `holds` and `conditions`. */
export class RecordExplanationView {
  @ApiProperty({ description: 'Whether the grants, the role and the permissions together allow the action.' })
  allowed: boolean;

  @ApiProperty({
    type: [ExplainedGrantView],
    description:
      'The grants that count for the action. A caller who may not share the collection gets those that allow it, without `rule`, `holds` and `conditions`.',
  })
  grants: ExplainedGrantView[];
}
