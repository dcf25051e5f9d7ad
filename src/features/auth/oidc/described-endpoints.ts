import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiQuery, ApiResponse } from '@nestjs/swagger';

import { DEVICE_CODE_GRANT } from './metadata/discovery.js';

/** What the endpoints of the authorization server take and answer, as the standards that they follow name it. */

const text = (description: string, example?: string) => ({
  type: 'string' as const,
  description,
  ...(example !== undefined && { example }),
});

/** A refresh token that no client gets. */
const EXAMPLE_TOKEN = 'VjLmQ8rT2yXc5nB7kW1zHs4pDf6gJa9eUoIiRqEwS0t';

const CLIENT = {
  client_id: text('Id of the client, unless it authenticates by HTTP Basic.', 'console'),
  client_secret: text('Secret of a confidential client, unless it authenticates by HTTP Basic.'),
};

const OAUTH_ERROR = {
  type: 'object' as const,
  properties: {
    error: text('Error code of OAuth 2.0 (RFC 6749).', 'invalid_grant'),
    error_description: text('Description of the error.', 'grant request is invalid'),
  },
  required: ['error'],
};

const query = (name: string, description: string, example?: string, required = false) =>
  ApiQuery({ name, type: String, required, description, ...(example !== undefined && { example }) });

const body = (required: string[], properties: object) =>
  ApiBody({ schema: { type: 'object', required, properties: properties as never } });

const unproven = () =>
  ApiResponse({
    status: 401,
    description: 'The client is unknown, or its authentication failed.',
    schema: OAUTH_ERROR,
  });

export function DescribesAuthorize() {
  return applyDecorators(
    query('client_id', 'Id of the client, or the https address of its metadata document.', 'console', true),
    query('response_type', 'Always `code`.', 'code', true),
    query(
      'redirect_uri',
      'Where the browser returns to: a redirect URI that the client has registered.',
      'http://127.0.0.1:8080/callback',
      true,
    ),
    query(
      'code_challenge',
      'SHA-256 of the code verifier, base64url (RFC 7636).',
      'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      true,
    ),
    query('code_challenge_method', 'Always `S256`.', 'S256', true),
    query('scope', 'Scopes, separated by spaces.', 'openid collections:read'),
    query('state', 'An opaque value that is returned unchanged to the redirect URI.'),
    query('nonce', 'An opaque value that is returned in the ID token.'),
    query('prompt', '`login` or `consent` asks the person again; `none` never shows a page.'),
    query('resource', 'The resource that the token is for (RFC 8707), for example an MCP endpoint.'),
    ApiResponse({
      status: 303,
      description: 'A redirect to the sign-in and consent pages, or back to the client.',
    }),
  );
}

export function DescribesToken() {
  return applyDecorators(
    body(['grant_type'], {
      grant_type: {
        type: 'string',
        enum: ['authorization_code', 'refresh_token', DEVICE_CODE_GRANT],
        description: 'What the client exchanges for tokens.',
        example: 'authorization_code',
      },
      code: text(
        'With `authorization_code`: the code that the redirect URI received.',
        'SplxlOBeZQQYbYS6WxSbIA1s9vQ2mJ4WcQ1o0gkXy7u',
      ),
      redirect_uri: text(
        'With `authorization_code`: the redirect URI of the authorization request.',
        'http://127.0.0.1:8080/callback',
      ),
      code_verifier: text(
        'With `authorization_code`: the PKCE code verifier, whose SHA-256 was the code challenge.',
        'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      ),
      refresh_token: text('With `refresh_token`: the latest refresh token. Each can be used once.'),
      device_code: text('With the device code grant: the `device_code` that `/oidc/device/auth` answered.'),
      scope: text('With `refresh_token`: a subset of the granted scopes, separated by spaces.'),
      resource: text('The resource that the token is for (RFC 8707).'),
      ...CLIENT,
    }),
    ApiResponse({
      status: 200,
      description: 'The access token is a JWT of this platform.',
      schema: {
        type: 'object',
        properties: {
          access_token: text('JWT to send as `Authorization: Bearer`.'),
          token_type: text('Always `Bearer`.', 'Bearer'),
          expires_in: { type: 'integer', description: 'Seconds until the access token expires.' },
          refresh_token: text(
            'Gets new tokens until the consent ends. With the scope `offline_access` it also outlives the sign-out of the person here.',
          ),
          id_token: text('Present if the scope `openid` was granted.'),
          scope: text('The scopes that were granted, separated by spaces.'),
        },
        required: ['access_token', 'token_type', 'expires_in'],
      },
    }),
    unproven(),
  );
}

export function DescribesDeviceAuthorization() {
  return applyDecorators(
    body(['client_id'], {
      scope: text('Scopes, separated by spaces.', 'platform offline_access'),
      resource: text('The resource that the token is for (RFC 8707).'),
      ...CLIENT,
      client_id: text('Id of the client.', 'typed-collections-cli'),
    }),
    ApiResponse({
      status: 200,
      description: 'Show the user code and the address. Poll the token endpoint every 5 seconds.',
      schema: {
        type: 'object',
        properties: {
          device_code: text('Code to exchange at the token endpoint.'),
          user_code: text('Code that the person enters in a browser.', 'BCDF-GHJK'),
          verification_uri: text('Page where the person enters the code.'),
          verification_uri_complete: text('The same page with the code filled in.'),
          expires_in: { type: 'integer', description: 'Seconds until both codes end.', example: 600 },
        },
        required: ['device_code', 'user_code', 'verification_uri', 'expires_in'],
      },
    }),
    unproven(),
  );
}

export function DescribesRevocation() {
  return applyDecorators(
    body(['token'], {
      token: text('An access or refresh token of this client.', EXAMPLE_TOKEN),
      token_type_hint: text('`access_token` or `refresh_token`.'),
      ...CLIENT,
    }),
    ApiResponse({ status: 200, description: 'The token is revoked, or was not valid before.' }),
    unproven(),
  );
}

export function DescribesIntrospection() {
  return applyDecorators(
    body(['token'], {
      token: text('The token to check.', EXAMPLE_TOKEN),
      token_type_hint: text('`access_token` or `refresh_token`.'),
      ...CLIENT,
    }),
    ApiResponse({
      status: 200,
      description:
        'Clients can check their own tokens; first-party clients can check all tokens. For any other token `active` is false.',
      schema: {
        type: 'object',
        properties: {
          active: { type: 'boolean', description: 'Whether the token is valid.' },
          sub: text('Id of the user.'),
          client_id: text('The client that the token was issued to.'),
          scope: text('The scopes that were granted, separated by spaces.'),
          exp: { type: 'integer', description: 'When the token expires, in Unix seconds.' },
        },
        required: ['active'],
      },
    }),
    unproven(),
  );
}

export function DescribesEndSession() {
  return applyDecorators(
    query('id_token_hint', 'An ID token that was issued to the client.'),
    query('client_id', 'Id of the client.'),
    query(
      'post_logout_redirect_uri',
      'Where the browser goes afterwards: a URI that the client has registered.',
    ),
    query('state', 'An opaque value that is returned unchanged to the redirect URI.'),
    ApiResponse({
      status: 200,
      description: 'A page that asks the person to confirm.',
      content: { 'text/html': { schema: { type: 'string' } } },
    }),
  );
}

export function DescribesRegistration() {
  const metadata = {
    redirect_uris: {
      type: 'array',
      items: { type: 'string' },
      description: 'Where browsers may return to: https URLs, or http URLs on a loopback address.',
      example: ['http://127.0.0.1:8080/callback'],
    },
    client_name: text('Name of the client on the consent page.', 'Reports'),
    token_endpoint_auth_method: text('`none` for clients that cannot keep a secret.', 'none'),
    grant_types: {
      type: 'array',
      items: { type: 'string' },
      example: ['authorization_code', 'refresh_token'],
    },
    scope: text(
      'Scopes that the client may request, separated by spaces.',
      'openid offline_access collections:read',
    ),
  };
  return applyDecorators(
    body(['redirect_uris'], metadata),
    ApiResponse({
      status: 201,
      description: 'The client’s metadata with its `client_id`.',
      schema: {
        type: 'object',
        properties: { client_id: text('Id of the new client.'), ...metadata } as never,
        required: ['client_id'],
      },
    }),
    ApiResponse({ status: 404, description: 'Dynamic registration is off on this service.' }),
  );
}
