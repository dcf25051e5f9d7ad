type Filter = Readonly<Record<string, unknown>>;

/** Longer values make no useful filter, and no useful address. */
const MAX_FILTER_CHARACTERS = 500;

/** True if the field can be named in a filter, and its value is short enough for one. `undefined` is an absent field. */
export function isFilterable(field: string, value: unknown): boolean {
  if (field === '' || field.startsWith('$') || field.includes('.')) return false;
  return value === undefined || JSON.stringify(value).length <= MAX_FILTER_CHARACTERS;
}

/**
 * The filter with one more condition: the field has this value, or is absent if the value is undefined. A field that has a
 * condition already gets a second one beside it.
 */
export function withCondition(filter: Filter | undefined, field: string, value: unknown): Filter {
  const condition = { [field]: conditionOf(value) };
  if (filter === undefined || Object.keys(filter).length === 0) return condition;
  if (!Object.hasOwn(filter, field)) return { ...filter, ...condition };
  if (JSON.stringify(filter[field]) === JSON.stringify(condition[field])) return filter;
  const { $and: all, ...rest } = filter;
  if (!Array.isArray(all)) return { $and: [filter, condition] };
  return { ...rest, $and: [...all, condition] };
}

/** An object whose names begin with `$` would be read as operators. */
function conditionOf(value: unknown): unknown {
  if (value === undefined) return { $exists: false };
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && Object.keys(value).some(name => name.startsWith('$')) ? { $eq: value } : value;
}
