/** The parts of a parameter that are completed. */
export interface DescribedParameter {
  readonly name: string;
  readonly in: string;
  description?: string;
  example?: unknown;
  schema?: ParameterSchema;
  content?: Readonly<Record<string, { schema: ParameterSchema; example?: unknown }>>;
}

interface ParameterSchema {
  type?: string;
  oneOf?: readonly object[];
  anyOf?: readonly object[];
  allOf?: readonly object[];
  example?: unknown;
}

const TYPED = ['type', '$ref', 'oneOf', 'anyOf', 'allOf', 'enum'];

/**
 * Gives a parameter what generated clients need: a parameter without a type is text, and a query parameter that takes JSON says so
 * (`content`), because the default style would send an object as several parameters.
 */
export function completeParameter(parameter: DescribedParameter): void {
  const isTyped = Object.keys(parameter.schema ?? {}).some(key => TYPED.includes(key));
  if (!isTyped) parameter.schema = { type: 'string', ...parameter.schema };
  const { schema } = parameter;
  if (parameter.in !== 'query' || schema === undefined) return;
  if (schema.type !== 'object' && schema.oneOf === undefined) return;
  // Nest adds a reference to `Object`, the type that TypeScript gives to a property of several types.
  const { allOf: _, anyOf = [], example = parameter.example, ...own } = schema;
  const isNullable = anyOf.some(each => 'type' in each && each.type === 'null');
  if (isNullable && own.oneOf !== undefined) own.oneOf = [...own.oneOf, { type: 'null' }];
  delete parameter.schema;
  delete parameter.example;
  parameter.content = { 'application/json': { schema: own, ...(example !== undefined && { example }) } };
}
