import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { VERSION } from '../kernel/version.js';

/** Tags in the order of the specification's section 1, then the platform's. */
const TAGS: readonly [string, string][] = [
  ['Collections', 'Create, list, read, update, delete collections: metadata and schema.'],
  ['Records', 'Insert, query, read, update, upsert, delete.'],
  ['Changes', 'What happens to records: asked for, or as a stream of events.'],
  ['Webhooks', 'What happens to records, posted to a URL.'],
  ['Analytics', 'Count, distinct values, aggregations with grouping.'],
  ['Schema', 'Add columns, apply indexes and unique constraints.'],
  ['AI', 'Schema suggestion, questions in plain language.'],
  ['Sharing', 'Grant, list, update, revoke access bindings for user, group, org.'],
  ['MCP', 'The Model Context Protocol: the same operations as tools of language models.'],
  ['API Keys', 'Mint, list, rotate, revoke organization API keys scoped to a collection.'],
  ['Authentication', 'Sessions, tokens, tickets and public keys of the platform.'],
  ['Authorization server', 'OAuth 2.1 and OpenID Connect for consoles, MCP clients and other applications.'],
  ['Organizations', 'Organizations, members, roles, agents and their API keys.'],
  ['Workspaces', 'Workspaces of organizations: who works in them, their rules and API keys.'],
  ['Health', 'Liveness and readiness.'],
];

/** The OpenAPI description, made from the decorators of every route. */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('Collections of typed records')
    .setDescription(
      'Named collections of typed records behind one address: MongoDB-style filters, aggregation, sharing, keys. ' +
        'Send `Authorization: Bearer <token>` or `x-platform-api-key: <key>`; either satisfies the requirement. ' +
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
    );
  for (const [name, description] of TAGS) builder.addTag(name, description);
  const document = SwaggerModule.createDocument(app, builder.build(), {
    operationIdFactory: (_controller, method) => method,
  });
  for (const operation of operations(document)) {
    operation.security ??= [];
    giveExample(operation, (document.components?.schemas ?? {}) as Record<string, DtoSchema>);
  }
  return document;
}

/**
 * The example of a body is made of its properties' examples. Without one, Swagger UI fills in every property, also
 * those that no first request needs; so it does where what is required has no example that would stay valid.
 */
function giveExample({ requestBody }: Operation, schemas: Record<string, DtoSchema>): void {
  for (const media of Object.values(requestBody?.content ?? {})) {
    const { properties = {}, required = [] } = schemas[media.schema?.$ref?.split('/').at(-1) ?? ''] ?? {};
    const examples = Object.entries(properties).filter(([, { example }]) => example !== undefined);
    if (examples.length === 0 || media.examples !== undefined) continue;
    if (required.some(name => properties[name]?.example === undefined)) continue;
    media.example = Object.fromEntries(examples.map(([name, { example }]) => [name, example]));
  }
}

interface DtoSchema {
  readonly properties?: Record<string, { readonly example?: unknown }>;
  readonly required?: readonly string[];
}

interface Operation {
  readonly operationId: string;
  security?: object[];
  readonly requestBody?: {
    content: Record<string, { schema?: { $ref?: string }; example?: unknown; examples?: unknown }>;
  };
}

/** Every operation of a description. One that names no security is public, and says so: `security: []`. */
function operations(document: OpenAPIObject): Operation[] {
  return Object.values(document.paths).flatMap(path =>
    Object.values(path as Record<string, unknown>).filter(
      (value): value is Operation => typeof value === 'object' && value !== null && 'operationId' in value,
    ),
  );
}

/** Swagger UI at `/docs` and the description at `/openapi.json`, made at the first request for either. */
export function serveOpenApi(app: INestApplication): void {
  SwaggerModule.setup('docs', app, () => openApiDocument(app), {
    jsonDocumentUrl: 'openapi.json',
    customSiteTitle: 'Collections of typed records',
    swaggerOptions: { persistAuthorization: true, displayRequestDuration: true, tryItOutEnabled: true },
  });
}
