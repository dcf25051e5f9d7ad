import { type ErrorDetails, PlatformError } from '../../../base/kernel/errors.js';

/** What a rule decides. Names of the contract. */
export type RuledAction = 'create' | 'update' | 'becomes' | 'delete';

/** 403 for fields that the caller may not name, whether or not they exist. */
export function fieldForbidden(fields: Iterable<string>): PlatformError {
  const names = [...new Set(fields)];
  const shown = names.map(name => `'${name}'`).join(', ');
  return new PlatformError('FieldForbidden', `Your access does not include ${shown}.`, { fields: names });
}

/** 403 for a record that the caller sees, but may not write in this way. `details`: of several records. */
export function ruleRefused(action: RuledAction, details: ErrorDetails = { action }): PlatformError {
  return new PlatformError('RuleRefused', MESSAGES[action], details);
}

const MESSAGES: Record<RuledAction, string> = {
  create: 'The rules of your access do not allow to insert this record.',
  update: 'The rules of your access do not allow to update this record.',
  becomes: 'The rules of your access do not allow the record that this update makes. Nothing was written.',
  delete: 'The rules of your access do not allow to delete this record.',
};

/** 403 for a caller whose access has rules, which a statement would not keep. */
export function notUnderRules(): PlatformError {
  return new PlatformError(
    'RuleRefused',
    'Your access to this collection has rules, with which this operation is not available.',
  );
}
