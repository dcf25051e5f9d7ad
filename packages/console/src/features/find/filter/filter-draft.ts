import { isObject, type JsonObject } from '../../../values/json.js';
import { parseJson } from '../editor/json-text.js';
import { pruned } from '../model/edit.js';
import { fromFilter } from '../model/from-filter.js';
import type { Group } from '../model/model.js';
import { type Problem, problemsOf } from '../model/problems.js';
import { toFilter } from '../model/to-filter.js';

/** What somebody is writing in the filter dialog, as conditions or as JSON. */
export interface FilterDraft {
  /** The filter that the dialog was opened with. Another one in the address makes the draft obsolete. */
  readonly base: JsonObject;
  readonly tab: 'builder' | 'json';
  readonly model: Group;
  readonly text: string;
}

export function newDraft(base: JsonObject, tab: FilterDraft['tab'] = 'builder'): FilterDraft {
  return { base, tab, model: fromFilter(base), text: textOf(base) };
}

function textOf(filter: JsonObject): string {
  return JSON.stringify(filter, null, 2);
}

/** The filter that is written, or why there is none yet. */
export type Written =
  | { readonly filter: JsonObject }
  | { readonly problems: ReadonlyMap<string, Problem> }
  | { readonly isJson: false };

export function written({ tab, model, text }: FilterDraft): Written {
  if (tab === 'builder') {
    const group = pruned(model);
    const problems = problemsOf(model);
    return problems.size > 0 ? { problems } : { filter: group.items.length === 0 ? {} : toFilter(group) };
  }
  if (text.trim() === '') return { filter: {} };
  const { value, problems } = parseJson(text);
  return problems.length === 0 && isObject(value) ? { filter: value } : { isJson: false };
}

/** The draft in the other form, with the same filter; undefined if what is written is not a filter yet. */
export function switched(draft: FilterDraft, tab: FilterDraft['tab']): FilterDraft | undefined {
  if (draft.tab === tab) return draft;
  const now = written(draft);
  if (!('filter' in now)) return undefined;
  return { ...draft, tab, model: fromFilter(now.filter), text: textOf(now.filter) };
}

/** The draft with another filter, in the form in which it is now. */
export function replaced(draft: FilterDraft, filter: JsonObject): FilterDraft {
  return { ...draft, model: fromFilter(filter), text: textOf(filter) };
}
