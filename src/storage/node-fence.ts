import { orgSchema } from '../database/org-schema.js';
import { FENCE, type Statement } from './statement.js';

/** As `FENCE`, with the copy of the version that lies beside the records. */
export function nodeFence(orgId: string): string {
  return fenceIn(orgSchema(orgId));
}

/**
 * The statement with the fence that lies beside the records of its organization, so that one node answers it alone. That
 * fence follows the other one within the same commit: where it does not hold the other one decides.
 */
export function fencedOnNode(statement: Statement): Statement {
  const schema = /\borg_[0-9a-f]{32}\b/.exec(statement.text)?.[0] as string;
  return { ...statement, text: statement.text.replace(FENCE, fenceIn(schema)) };
}

function fenceIn(schema: string): string {
  return FENCE.replace('public.collections', `${schema}.fences`);
}
