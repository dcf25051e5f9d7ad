import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { API_VERSION } from '../../../base/kernel/version.js';
import { ErrorView } from '../requires.decorator.js';
import { completeParameter, type DescribedParameter } from './parameters.js';
import { responseField } from './response-fields.js';

/** Times that must be less than a year away, as [schema, property]. Their fixed examples become invalid. */
const WITHIN_A_YEAR: readonly [string, string][] = [['MintAccessTokenBody', 'expiresAt']];
/** Days from today to these examples. Longer than a process runs, because the description is made once per process. */
const EXAMPLE_DAYS = 180;

/** Groups of operations in the order that Swagger UI shows them: data first, then people and organizations. */
const TAGS: readonly [string, string][] = [
  ['Collections', 'Create, list, read, update and delete collections: their metadata and schemas.'],
  ['Records', 'Insert, query, read, update, upsert and delete records.'],
  ['History', 'List the versions of a record, undo writes, and restore records.'],
  ['Changes', 'Follow the changes of records by polling or as a stream of Server-Sent Events.'],
  ['Webhooks', 'Send the changes of records to a URL.'],
  ['Analytics', 'Count records, list distinct values, and aggregate by group.'],
  ['Schema', 'Add and change columns; build indexes and unique constraints.'],
  ['AI', 'Suggest schemas, and answer questions in plain language.'],
  ['Sharing', 'Grant, list, update and revoke access bindings for users, groups and the organization.'],
  ['MCP', 'The Model Context Protocol: the same operations as tools for language models.'],
  ['API Keys', 'Mint, list, rotate and revoke the API keys of one collection.'],
  ['Authentication', 'Sign-in, sessions, access tokens, sign-in links and public keys.'],
  ['Authorization server', 'OAuth 2.1 and OpenID Connect for consoles, MCP clients and other applications.'],
  ['Organizations', 'Create, list, read, update and delete organizations.'],
  ['Members', 'The members of an organization, with their roles and groups.'],
  ['Invitations', 'Invite people to an organization, and join an organization.'],
  ['Roles', 'Named sets of permissions for the members of an organization.'],
  ['Groups', 'Sets of members with whom collections can be shared.'],
  ['Sign-in providers', 'Identity providers of an organization (OpenID Connect).'],
  ['Organization API Keys', 'Keys that programs use for a whole organization.'],
  ['Service accounts', 'Accounts for programs, which exchange a secret for short-lived tokens.'],
  ['Agents', 'Agents own collections and records. API keys and users can act for an agent.'],
  ['Organization audit', 'The audit events of an organization, and the signed checkpoints of its audit log.'],
  ['Workspaces', 'Workspaces of an organization, with their collaborators, rules and API keys.'],
  ['Health', 'Whether the process is alive and ready for requests.'],
];

/**
 * The OpenAPI description, made from the decorators of every route. Times that must be less than a year away have
 * examples relative to `today`. Without `today` they keep their fixed examples, for a description that is stored.
 */
export function openApiDocument(app: INestApplication, today?: Date): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Typed Collections')
    .setDescription(
      'Collections of typed records over HTTP: MongoDB-style filters, aggregation, sharing, API keys. ' +
        'Send `Authorization: Bearer <token>` or `x-platform-api-key: <key>`, or sign in with a browser; one of them is enough. ' +
        '`/v1` serves the data; `/v2` serves people, organizations and workspaces. Both versions are current. ' +
        'To act for an agent of the organization, a user with the permission `agents:act` sends `x-platform-agent-id: <id>`.',
    )
    .setVersion(API_VERSION)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/')
    .addBearerAuth(
      {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description: 'Session JWT or `at:` access token.',
      },
      'BearerAuth',
    )
    .addApiKey(
      {
        type: 'apiKey',
        in: 'header',
        name: 'x-platform-api-key',
        description: 'Organization, collection or workspace API key.',
      },
      'OrgApiKeyAuth',
    )
    .addCookieAuth(
      'access-token',
      {
        type: 'apiKey',
        in: 'cookie',
        description:
          'Set when you sign in with a browser. You need not enter it here: requests from this page send it.',
      },
      'SessionCookie',
    );
  for (const [name, description] of TAGS) builder.addTag(name, description);
  const document = SwaggerModule.createDocument(app, builder.build(), {
    operationIdFactory: (_controller, method) => method,
    extraModels: [ErrorView],
  });
  completeOperations(document);
  // Only the parameters of several types referred to it.
  delete document.components?.schemas?.Object;
  const schemas = (document.components?.schemas ?? {}) as Record<string, DtoSchema>;
  describeFields(schemas);
  if (today !== undefined) giveMoments(schemas, today);
  for (const { operation } of operationsOf(document)) giveExample(operation, schemas);
  return document;
}

function giveMoments(schemas: Record<string, DtoSchema>, today: Date): void {
  const moment = new Date(today);
  moment.setUTCDate(moment.getUTCDate() + EXAMPLE_DAYS);
  moment.setUTCHours(0, 0, 0, 0);
  for (const [schema, name] of WITHIN_A_YEAR) {
    const property = schemas[schema]?.properties?.[name] as PropertySchema;
    property.example = moment.toISOString();
  }
}

/**
 * Builds the example of a body from the examples of its properties. Without one, Swagger UI fills in every property,
 * also those that a first request does not need. A body of one of several schemas gets the example of the first. There is
 * no example when a required property has none.
 */
function giveExample({ requestBody }: Operation, schemas: Record<string, DtoSchema>): void {
  for (const media of Object.values(requestBody?.content ?? {})) {
    const reference = media.schema?.$ref ?? media.schema?.oneOf?.[0]?.$ref;
    const named = schemas[reference?.split('/').at(-1) ?? ''];
    const { properties = {}, required = [] } = named ?? media.schema ?? {};
    const examples = Object.entries(properties).filter(([, { example }]) => example !== undefined);
    if (examples.length === 0 || media.examples !== undefined) continue;
    if (required.some(name => properties[name]?.example === undefined)) continue;
    media.example = Object.fromEntries(examples.map(([name, { example }]) => [name, example]));
  }
}

/** Gives a description to the fields whose decorator has none. */
function describeFields(schemas: Record<string, DtoSchema>): void {
  for (const [schema, { properties = {} }] of Object.entries(schemas)) {
    for (const [name, property] of Object.entries(properties)) {
      const description = responseField(schema, name);
      if (property.$ref === undefined && description !== undefined) property.description ??= description;
    }
  }
}

interface PropertySchema {
  readonly $ref?: string;
  description?: string;
  example?: unknown;
}

/** The part of a schema from which examples are built. */
interface DtoSchema {
  readonly properties?: Record<string, PropertySchema>;
  readonly required?: readonly string[];
}

interface Operation {
  readonly operationId: string;
  security?: object[];
  readonly parameters?: DescribedParameter[];
  readonly requestBody?: {
    content: Record<
      string,
      {
        schema?: { $ref?: string; oneOf?: { $ref?: string }[] } & DtoSchema;
        example?: unknown;
        examples?: unknown;
      }
    >;
  };
  readonly responses: Record<string, object>;
}

/** Descriptions of path parameters, by name and path. The first match counts. */
const PATH_PARAMETERS: readonly [name: string, path: RegExp, description: string, example?: string][] = [
  ['orgSlug', /./, 'Slug of the organization.', 'default'],
  ['record_id', /./, 'Id of the record (`_id`).'],
  ['key_id', /./, 'Id of the API key.'],
  ['keyId', /./, 'Id of the API key.'],
  ['view_id', /./, 'Id of the saved view.'],
  ['webhook_id', /./, 'Id of the webhook.'],
  ['delivery_id', /./, 'Id of the delivery.'],
  ['principal_type', /./, 'Kind of principal that has the binding.'],
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
  ['id', /invitations/, 'Id of the invitation.'],
  ['domain', /domains/, 'The e-mail domain.', 'acme.example'],
];

/** Operations that do not use the database. */
const WITHOUT_DATABASE = new Set(['getRoot', 'live', 'getDiscovery', 'getProtectedResource']);

/** Every operation of a description, with its path and method. */
function operationsOf(document: OpenAPIObject): { path: string; method: string; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation | undefined>).flatMap(([method, operation]) =>
      operation?.operationId === undefined ? [] : { path, method, operation },
    ),
  );
}

/**
 * Completes a description with the parts that all operations of a kind share, so that routes need not repeat them: the
 * descriptions of path parameters, and the errors of guards and database.
 */
function completeOperations(document: OpenAPIObject): void {
  for (const { path, method, operation } of operationsOf(document)) {
    // An operation without security requirements is public. OpenAPI writes this as `security: []`.
    operation.security ??= [];
    for (const parameter of operation.parameters ?? []) {
      completeParameter(parameter);
      if (parameter.in === 'path') describe(parameter, path);
    }
    for (const [status, description] of refusalsOf(path, method, operation)) {
      operation.responses[status] ??= {
        description,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorView' } } },
      };
    }
  }
}

function describe(parameter: DescribedParameter, path: string): void {
  const known = PATH_PARAMETERS.find(([name, where]) => name === parameter.name && where.test(path));
  if (known === undefined) return;
  const [, , description, example] = known;
  parameter.description ??= description;
  if (example !== undefined) parameter.example ??= example;
}

function refusalsOf(path: string, method: string, { operationId }: Operation): [string, string][] {
  const refusals: [string, string][] = [];
  if (/^\/v2\/orgs\/\{orgSlug\}\/.*\{/.test(path)) {
    refusals.push(['404', 'The organization has no resource with this name or id.']);
  }
  // The service reads the body of every other request, also where the operation takes none.
  if (method !== 'get') {
    refusals.push(
      ['413', 'The body is too large.'],
      ['415', 'The service does not support the media type or charset of the body.'],
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
