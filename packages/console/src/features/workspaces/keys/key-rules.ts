import type { WorkspaceKey } from '../queries.js';
import { type Action, SUBJECTS, type Subject } from '../rules/rule.js';

/** What a key may do with each kind of resource. */
export type KeyDraft = Readonly<Record<Subject, readonly Action[]>>;

type KeyRule = WorkspaceKey['rules'][number];

/** The form of a key. Undefined if its rules have conditions beside that of the workspace, which the form cannot show. */
export function draftOf(rules: readonly KeyRule[]): KeyDraft | undefined {
  if (rules.some(({ conditions }) => Object.keys(conditions).length > 1)) return undefined;
  return Object.fromEntries(
    SUBJECTS.map(subject => {
      const actions = rules.filter(rule => rule.subject === subject).flatMap(({ action }) => action);
      return [subject, [...new Set(actions)]];
    }),
  ) as unknown as KeyDraft;
}

/** The rules as the service takes them. It adds the condition of the workspace itself. */
export function rulesOf(draft: KeyDraft): { action: Action[]; subject: Subject }[] {
  return SUBJECTS.filter(subject => draft[subject].length > 0).map(subject => ({
    action: [...draft[subject]],
    subject,
  }));
}
