// How requests state a filter, a sort and a projection of records.

export const FILTER = {
  optional: true,
  description: 'MongoDB-style filter.',
  example: { age: { $gte: 18 } },
  schema: { type: 'object' as const, additionalProperties: true },
};

export const SORT = {
  optional: true,
  description: 'Sort fields, the most important first: 1 ascending, -1 descending. Default: insertion order.',
  example: { age: -1 },
  schema: { type: 'object' as const, additionalProperties: { type: 'integer' as const, enum: [1, -1] } },
};

export const AS_OF = {
  optional: true,
  description:
    'Reads the records as they were at this instant: all writes up to that millisecond. It must lie within the `history_days` of the collection.',
};

export const VIEW_AS = {
  optional: true,
  max: 60,
  pattern: /^(?:(?:user|agent|key):[0-9A-Fa-f-]{36}|anonymous)$/,
  hint: 'the form user:<id>, agent:<id>, key:<id> or anonymous',
  description:
    'Answers what this principal would get: `user:<id>`, `agent:<id>`, `key:<id>`, or `anonymous` for a member who has just signed in anonymously. ' +
    'Needs the right `share`, and is in the audit log as `collections.access.viewed`.',
};

export const FIELDS = {
  optional: true,
  description: 'Fields to return or to leave out: {"name": 1} or {"name": 0}, or a list of names to return.',
  example: { email: 1, age: 1 },
  schema: {
    oneOf: [
      { type: 'object', additionalProperties: { type: 'integer', enum: [0, 1] } },
      { type: 'array', items: { type: 'string' } },
    ],
  } as object,
};
