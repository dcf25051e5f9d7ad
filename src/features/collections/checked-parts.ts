import { invalid } from '../../base/kernel/errors.js';
import { type GrantParts, shownParts } from '../../base/kernel/grant-parts.js';
import { checkGrantParts, fieldsOfRules } from '../../engine/rules/grant-parts.js';
import type { Collection } from './collection.entity.js';

/** The parts of a grant as they are stored. */
export type StoredParts = Required<GrantParts>;

/** The parts after a request: those that it names, and those that the grant has. Null: none. */
export function mergedParts(before: GrantParts | undefined, sent: GrantParts): StoredParts {
  const { rules = before?.rules, fields = before?.fields, limits = before?.limits } = sent;
  return { rules: rules ?? null, fields: fields ?? null, limits: limits ?? null };
}

/** True when a request removes every part. */
export function removesAllParts({ rules, fields, limits }: GrantParts): boolean {
  return rules === null && fields === null && limits === null;
}

export function hasParts(parts: GrantParts): boolean {
  return Object.keys(shownParts(parts)).length > 0;
}

/** Names that are columns in collections that declared them before they were system fields. */
const AUTHORS = ['_created_by', '_updated_by'] as const;

/** Throws 400 for parts that a grant on the collection cannot have. */
export function requireParts({ columns }: Collection, sent: GrantParts): void {
  checkGrantParts(sent);
  const declared = AUTHORS.filter(name => Object.hasOwn(columns, name));
  const named = declared.find(name => fieldsOfRules(sent).has(name));
  if (named !== undefined)
    throw invalid(
      `rules: ${named} is a column of this collection, whose values clients write; rename the column or use another field`,
    );
}
