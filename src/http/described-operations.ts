import type { OpenAPIObject } from '@nestjs/swagger';

export interface PropertySchema {
  example?: unknown;
}

/** The part of a schema that examples are made of. */
export interface DtoSchema {
  readonly properties?: Record<string, PropertySchema>;
  readonly required?: readonly string[];
}

export interface Operation {
  readonly operationId: string;
  security?: object[];
  readonly parameters?: Parameter[];
  readonly requestBody?: {
    content: Record<
      string,
      { schema?: { $ref?: string } & DtoSchema; example?: unknown; examples?: unknown }
    >;
  };
  readonly responses: Record<string, object>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  description?: string;
  example?: unknown;
}

/** What a parameter of a path stands for, by its name and a part of the path. The first that fits counts. */
const PATH_PARAMETERS: readonly [name: string, path: RegExp, description: string, example?: string][] = [
  ['orgSlug', /./, 'Slug of the organization.', 'default'],
  ['record_id', /./, 'Id of the record (`_id`).'],
  ['key_id', /./, 'Id of the API key.'],
  ['keyId', /./, 'Id of the API key.'],
  ['webhook_id', /./, 'Id of the webhook.'],
  ['delivery_id', /./, 'Id of the delivery.'],
  ['principal_type', /./, 'Kind of principal that the binding is for.'],
  ['principal_id', /./, 'Id of the user, `orgSlug:groupSlug` of the group, or slug of the organization.'],
  ['userId', /./, 'Id of the user.'],
  ['code', /invites/, 'Id of the invitation, or its code.'],
  ['slug', /groups/, 'Slug of the group.', 'editors'],
  ['slug', /roles/, 'Slug of the role.', 'analyst'],
  ['slug', /auth\/sso/, 'Slug of the identity provider.', 'acme-staff'],
  ['slug', /service-accounts/, 'Slug of the service account.', 'nightly-import'],
  ['id', /agents/, 'Id of the agent.'],
  ['id', /sessions/, 'Id of the session.'],
  ['id', /accessTokens/, 'Id of the access token.'],
  ['id', /apikeys/, 'Id of the API key.'],
];

/** Answers that need nothing but the process itself. */
const WITHOUT_DATABASE = new Set(['getRoot', 'live', 'getDiscovery', 'getProtectedResource']);

/** Every operation of a description, with its path. */
export function operationsOf(document: OpenAPIObject): { path: string; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.values(item as Record<string, unknown>)
      .filter(
        (value): value is Operation => typeof value === 'object' && value !== null && 'operationId' in value,
      )
      .map(operation => ({ path, operation })),
  );
}

/**
 * Completes a description with what holds for every operation of a kind, so that no route has to repeat it: what the
 * parameters of paths are, and the refusals that come from the guards and the database.
 */
export function completeOperations(document: OpenAPIObject): void {
  for (const { path, operation } of operationsOf(document)) {
    // One that names no security is public, and says so: `security: []`.
    operation.security ??= [];
    for (const parameter of operation.parameters ?? []) {
      if (parameter.in === 'path') describe(parameter, path);
    }
    for (const [status, description] of refusalsOf(path, operation)) {
      operation.responses[status] ??= {
        description,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorView' } } },
      };
    }
  }
}

function describe(parameter: Parameter, path: string): void {
  const known = PATH_PARAMETERS.find(([name, where]) => name === parameter.name && where.test(path));
  if (known === undefined) return;
  const [, , description, example] = known;
  parameter.description ??= description;
  if (example !== undefined) parameter.example ??= example;
}

function refusalsOf(path: string, { operationId, requestBody }: Operation): [string, string][] {
  const refusals: [string, string][] = [];
  if (/^\/v2\/orgs\/\{orgSlug\}\/.*\{/.test(path)) {
    refusals.push(['404', 'There is nothing of this name or id in the organization.']);
  }
  if (requestBody !== undefined) {
    refusals.push(
      ['413', 'The body is too large.'],
      ['415', 'The body has a media type or charset that is not read here.'],
    );
  }
  if (!WITHOUT_DATABASE.has(operationId)) {
    refusals.push([
      '503',
      'The database cannot be reached or is too busy: wait for the seconds in `Retry-After`.',
    ]);
  }
  return refusals;
}
