/** What the decorators of fields remember of the properties of a request, for its validation. */

type Coerce = (text: string) => unknown;
/** The class of a request. */
export type Target = abstract new (...args: never[]) => unknown;

interface NestedType {
  readonly type: () => Target;
  /** True for a list of objects, false for one object. */
  readonly list: boolean;
  /** Maximum number of objects in a list. */
  readonly max: number;
}

const coercions = new WeakMap<object, Map<string, Coerce>>();
const nested = new WeakMap<object, Map<string, NestedType>>();

/** The function that converts the text of a query parameter to the value of a property; undefined keeps the text. */
export function coercionOf(dto: Target, property: string): Coerce | undefined {
  return lookup(coercions, dto, property);
}

/** The class of a nested object, or of the objects in a list with their maximum number; undefined for plain values. */
export function nestedTypeOf(
  dto: Target,
  property: string,
): (Omit<NestedType, 'type'> & { readonly type: Target }) | undefined {
  const found = lookup(nested, dto, property);
  return found && { ...found, type: found.type() };
}

/** Remembers how the text of a query parameter becomes the value of the property. */
export function Coerced(coerce: Coerce): PropertyDecorator {
  return Remembered(coercions, coerce);
}

/** Remembers the class of a nested object, or of the objects in a list. */
export function Nested(type: NestedType): PropertyDecorator {
  return Remembered(nested, type);
}

function Remembered<T>(store: WeakMap<object, Map<string, T>>, value: T): PropertyDecorator {
  return (target, property) => {
    const own = store.get(target.constructor) ?? new Map<string, T>();
    store.set(target.constructor, own.set(property as string, value));
  };
}

function lookup<T>(store: WeakMap<object, Map<string, T>>, dto: Target, property: string): T | undefined {
  for (let type: object | null = dto; type !== null; type = Object.getPrototypeOf(type)) {
    const found = store.get(type)?.get(property);
    if (found !== undefined) return found;
  }
  return undefined;
}
