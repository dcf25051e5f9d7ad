import { Controller, Get, Post } from '@nestjs/common';
import { beforeAll, describe, expect, it } from 'vitest';
import { Requires } from '../../src/platform/http/requires.decorator.js';
import { startApp } from '../harness/app.js';
import { type DeclaredRoute, declaredRoutes, routesOf } from './routes.js';

/** The routes of the contract without a credential. A new open route must be added here on purpose. */
const PUBLIC = [
  'GET /',
  'GET /.well-known/oauth-authorization-server',
  'GET /.well-known/oauth-authorization-server/oidc',
  'GET /.well-known/oauth-protected-resource',
  'GET /.well-known/oauth-protected-resource/*path',
  'GET /.well-known/openid-configuration/oidc',
  'GET /console',
  'GET /console/*path',
  'GET /docs',
  'GET /docs/favicon-32x32.png',
  'GET /docs/index.html',
  'GET /docs/page.css',
  'GET /docs/page.js',
  'GET /docs/swagger-ui-bundle.js',
  'GET /docs/swagger-ui.css',
  'GET /health/live',
  'GET /health/ready',
  'GET /metrics',
  'GET /oidc/.well-known/openid-configuration',
  'GET /oidc/auth',
  'GET /oidc/auth/:uid',
  'GET /oidc/device',
  'GET /oidc/device/:uid',
  'GET /oidc/interaction/:uid',
  'GET /oidc/jwks',
  'GET /oidc/session/end',
  'GET /oidc/session/end/success',
  'GET /openapi.json',
  'GET /v2/login',
  'GET /v2/login/callback',
  'GET /v2/login/callback/:provider',
  'GET /v2/login/email/link',
  'GET /v2/login/providers',
  'GET /v2/login/recovery',
  'GET /v2/user/webSession',
  'HEAD /v2/login/callback',
  'HEAD /v2/login/callback/:provider',
  'HEAD /v2/user/webSession',
  'OPTIONS /.well-known/oauth-authorization-server',
  'OPTIONS /.well-known/oauth-authorization-server/oidc',
  'OPTIONS /.well-known/oauth-protected-resource',
  'OPTIONS /.well-known/oauth-protected-resource/*path',
  'OPTIONS /.well-known/openid-configuration/oidc',
  'OPTIONS /oidc/.well-known/openid-configuration',
  'OPTIONS /oidc/device/auth',
  'OPTIONS /oidc/jwks',
  'OPTIONS /oidc/reg',
  'OPTIONS /oidc/token',
  'OPTIONS /oidc/token/introspection',
  'OPTIONS /oidc/token/revocation',
  'POST /oidc/device',
  'POST /oidc/device/auth',
  'POST /oidc/interaction/:uid',
  'POST /oidc/reg',
  'POST /oidc/session/end',
  'POST /oidc/session/end/confirm',
  'POST /oidc/token',
  'POST /oidc/token/introspection',
  'POST /oidc/token/revocation',
  'POST /v2/login/anonymous',
  'POST /v2/login/anonymous/session',
  'POST /v2/login/email',
  'POST /v2/login/email/link',
  'POST /v2/login/email/verify',
  'POST /v2/login/email/verify/session',
  'POST /v2/login/invitation',
  'POST /v2/login/invitation/options',
  'POST /v2/login/passkey',
  'POST /v2/login/passkey/options',
  'POST /v2/login/recovery',
  'POST /v2/login/token-exchange',
  'POST /v2/orgs/:orgSlug/api-keys/validate',
  'POST /v2/orgs/:orgSlug/service-accounts/:slug/token',
];

let routes: DeclaredRoute[];
let described: Pick<DeclaredRoute, 'name' | 'operationId'>[];
beforeAll(async () => {
  const app = await startApp();
  routes = routesOf(app.nest);
  described = operationsOf((await app.request('GET', '/openapi.json')).body);
});

const names = (some: DeclaredRoute[]) => some.map(({ name }) => name).sort();
const needing = (kind: string) => routes.filter(({ requirement }) => requirement && kind in requirement);

describe('the requirements of routes', () => {
  it('has no route without @Requires', () => {
    expect(names(routes.filter(({ requirement }) => requirement === undefined))).toEqual([]);
  });

  it('checks every route of the description', () => {
    expect(described.length).toBeGreaterThan(30);
    expect(names(routes)).toEqual(expect.arrayContaining(described.map(({ name }) => name)));
  });

  it('leaves exactly the listed routes open to everyone', () => {
    expect(names(needing('public'))).toEqual(PUBLIC);
  });

  it('requires a right on the collection on every path that names one, and on no other path', () => {
    expect(names(needing('collection'))).toEqual(
      names(routes.filter(({ path }) => path.includes(':collection_id'))),
    );
  });

  it('requires a right on the workspace on every path that names one, and on no other path', () => {
    const named = needing('workspace').filter(({ path }) => path !== '/v2/workspaces');
    expect(names(named)).toEqual(names(routes.filter(({ path }) => path.includes(':workspaceId'))));
  });

  it('requires membership on every path that names an organization, and on no other path', () => {
    expect(names(needing('org'))).toEqual(
      names(routes.filter(({ path, name }) => path.includes(':orgSlug') && !PUBLIC.includes(name))),
    );
  });

  it('gives every operation of the description a unique id, the name of its controller method', () => {
    const ids = described.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(routes.map(({ operationId }) => operationId)).toEqual(expect.arrayContaining(ids));
  });
});

describe('the search for routes', () => {
  @Controller('things')
  class Forgetful {
    @Get()
    @Requires({ caller: 'any' })
    listThings(): void {}

    @Post(':id')
    createThing(): void {}

    helper(): void {}
  }

  it('finds a route without @Requires', () => {
    expect(declaredRoutes(Forgetful).map(({ name, requirement }) => [name, requirement])).toEqual([
      ['GET /things', { caller: 'any' }],
      ['POST /things/:id', undefined],
    ]);
  });
});

/** The operations of an OpenAPI description, named as routes are. */
function operationsOf(description: { paths: Record<string, Record<string, { operationId: string }>> }) {
  return Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId }]) => ({
      name: `${method.toUpperCase()} ${path.replaceAll('{', ':').replaceAll('}', '')}`,
      operationId,
    })),
  );
}
