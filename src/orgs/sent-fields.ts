import { invalid } from '../kernel/errors.js';

/** The properties that were sent, null included: a DTO declares the absent ones as undefined. */
export function sentFields<T extends object>(body: T): Partial<T> {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** The same for a PATCH, which must change something. */
export function sentChange<T extends object>(body: T): Partial<T> {
  const change = sentFields(body);
  if (Object.keys(change).length === 0) throw invalid('The body holds nothing to change.');
  return change;
}
