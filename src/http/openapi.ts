import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { VERSION } from '../kernel/version.js';
import { ErrorView } from './requires.decorator.js';

/** Times that must be less than a year away, as [schema, property]. A fixed example would become invalid. */
const WITHIN_A_YEAR: readonly [string, string][] = [['MintAccessTokenBody', 'expiresAt']];
/** Days from today to these examples. Longer than a process runs, because the description is made once per process. */
const EXAMPLE_DAYS = 180;

/** Groups of operations in the order that Swagger UI shows them: data first, then people and organizations. */
const TAGS: readonly [string, string][] = [
  ['Collections', 'Create, list, read, update, delete collections: metadata and schema.'],
  ['Records', 'Insert, query, read, update, upsert, delete.'],
  ['Changes', 'Follow what happens to records: by polling, or as a stream of events.'],
  ['Webhooks', 'Have changes of records posted to a URL.'],
  ['Analytics', 'Count, distinct values, aggregations with grouping.'],
  ['Schema', 'Add columns, apply indexes and unique constraints.'],
  ['AI', 'Suggest schemas, answer questions in plain language.'],
  ['Sharing', 'Grant, list, update, revoke access bindings for users, groups and the organization.'],
  ['MCP', 'The Model Context Protocol: the same operations as tools of language models.'],
  ['API Keys', 'Mint, list, rotate, revoke API keys of one collection.'],
  ['Authentication', 'Sign in, sessions, access tokens, sign-in links, public keys.'],
  ['Authorization server', 'OAuth 2.1 and OpenID Connect for consoles, MCP clients and other applications.'],
  ['Organizations', 'Create, list, read, update, delete organizations.'],
  ['Members', 'Who belongs to an organization, with which role and groups.'],
  ['Invitations', 'Invite people to an organization, and join one.'],
  ['Roles', 'What members of an organization may do.'],
  ['Groups', 'Members of an organization that collections are shared with together.'],
  ['Sign-in providers', 'Identity providers of an organization (OpenID Connect).'],
  ['Organization API Keys', 'Keys that programs use for a whole organization.'],
  ['Service accounts', 'Accounts of programs, which get short-lived tokens for their secret.'],
  ['Agents', 'Agents that own records and collections, and that keys and people act for.'],
  ['Organization audit', 'What happened in an organization, and the signed checkpoints of its log.'],
  ['Workspaces', 'Workspaces of organizations: who works in them, their rules and API keys.'],
  ['Health', 'Liveness and readiness.'],
];

/**
 * The OpenAPI description, made from the decorators of every route. Times that must be less than a year away have
 * examples relative to `today`. Without `today` they have none, for a description that is stored.
 */
export function openApiDocument(app: INestApplication, today?: Date): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Typed Collections')
    .setDescription(
      'Named collections of typed records behind one address: MongoDB-style filters, aggregation, sharing, keys. ' +
        'Send `Authorization: Bearer <token>` or `x-platform-api-key: <key>`, or sign in with a browser: one is enough. ' +
        '`/v1` has the data, `/v2` people, organizations and workspaces; both are current. ' +
        'A user with the permission `agents:act` acts for an agent of the organization by `x-platform-agent-id: <id>`.',
    )
    .setVersion(VERSION)
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
          'Set by signing in with a browser. Nothing to fill in here: requests of this page carry it.',
      },
      'SessionCookie',
    );
  for (const [name, description] of TAGS) builder.addTag(name, description);
  const document = SwaggerModule.createDocument(app, builder.build(), {
    operationIdFactory: (_controller, method) => method,
    extraModels: [ErrorView],
  });
  completeOperations(document);
  const schemas = (document.components?.schemas ?? {}) as Record<string, DtoSchema>;
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
 * also those that a first request does not need. There is no example when a required property has none.
 */
function giveExample({ requestBody }: Operation, schemas: Record<string, DtoSchema>): void {
  for (const media of Object.values(requestBody?.content ?? {})) {
    const named = schemas[media.schema?.$ref?.split('/').at(-1) ?? ''];
    const { properties = {}, required = [] } = named ?? media.schema ?? {};
    const examples = Object.entries(properties).filter(([, { example }]) => example !== undefined);
    if (examples.length === 0 || media.examples !== undefined) continue;
    if (required.some(name => properties[name]?.example === undefined)) continue;
    media.example = Object.fromEntries(examples.map(([name, { example }]) => [name, example]));
  }
}

interface PropertySchema {
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

/** Descriptions of path parameters, by name and path. The first match counts. */
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

/** Operations that do not use the database. */
const WITHOUT_DATABASE = new Set(['getRoot', 'live', 'getDiscovery', 'getProtectedResource']);

/** Every operation of a description, with its path. */
function operationsOf(document: OpenAPIObject): { path: string; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.values(item as Record<string, unknown>)
      .filter(
        (value): value is Operation => typeof value === 'object' && value !== null && 'operationId' in value,
      )
      .map(operation => ({ path, operation })),
  );
}

/**
 * Completes a description with the parts that all operations of a kind share, so that routes need not repeat them: the
 * descriptions of path parameters, and the errors of guards and database.
 */
function completeOperations(document: OpenAPIObject): void {
  for (const { path, operation } of operationsOf(document)) {
    // An operation without security requirements is public. OpenAPI writes this as `security: []`.
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
