import { ChoiceField, JsonField, TextField } from '../http/field.decorators.js';

const CALL_METHODS = ['GET', 'POST', 'PATCH', 'DELETE'] as const;
export type CallMethod = (typeof CALL_METHODS)[number];

export class CallWorkspaceBody {
  @TextField({
    max: 100,
    description: 'The workspace to call: its id, or `slug:` and its slug.',
    example: 'slug:billing',
  })
  target: string;

  @ChoiceField(CALL_METHODS, { description: 'Method of the operation.', example: 'GET' })
  method: CallMethod;

  @TextField({
    max: 200,
    pattern: /^\/[A-Za-z0-9_:/-]*$/,
    hint: 'a path that begins with /',
    description: 'Path of the operation, below the target: `/` is the target itself.',
    example: '/security/roles',
  })
  path: string;

  @JsonField({
    optional: true,
    description: 'Body of the operation.',
    schema: { type: 'object', additionalProperties: true },
    check: () => true,
    expects: 'the body of the operation',
  })
  body?: unknown;
}
