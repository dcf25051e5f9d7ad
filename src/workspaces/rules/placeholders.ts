import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.js';

/** What conditions may name. Source: spec 5.5. */
const PLACEHOLDERS = ['user.id', 'session.id', 'run.sourceWorkspaceId'] as const;
export type PlaceholderValues = Readonly<Partial<Record<(typeof PLACEHOLDERS)[number], string>>>;

const PLACEHOLDER = /\$\{([^}]*)\}/g;

/** The first placeholder of a text that does not exist, or undefined. */
export function unknownPlaceholder(text: string): string | undefined {
  const names = [...text.matchAll(PLACEHOLDER)].map(([, name]) => name as string);
  return names.find(name => !(PLACEHOLDERS as readonly string[]).includes(name));
}

/** The conditions with values in the place of placeholders; undefined when one of them has no value. */
export function resolved(conditions: JsonObject, values: PlaceholderValues): JsonObject | undefined {
  let missing = false;
  const fill = (_: string, name: string): string => {
    const value = values[name as keyof PlaceholderValues];
    missing ||= value === undefined;
    return value ?? '';
  };
  const walk = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return value.replace(PLACEHOLDER, fill);
    if (Array.isArray(value)) return value.map(walk);
    return isJsonObject(value) ? walkObject(value) : value;
  };
  const walkObject = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [name, walk(value)]));
  const result = walkObject(conditions);
  return missing ? undefined : result;
}
