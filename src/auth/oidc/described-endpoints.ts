import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiQuery, ApiResponse } from '@nestjs/swagger';

/** What the endpoints of the authorization server take and answer, as the standards that they follow name it. */

const text = (description: string, example?: string) => ({
  type: 'string' as const,
  description,
  ...(example !== undefined && { example }),
});

const CLIENT = {
  client_id: text('Id of the client, unless it authenticates by HTTP Basic.', 'console'),
  client_secret: text('Secret of a confidential client, unless it authenticates by HTTP Basic.'),
};

const OAUTH_ERROR = {
  type: 'object' as const,
  properties: {
    error: text('Code of the standard.', 'invalid_grant'),
    error_description: text('What is wrong.', 'grant request is invalid'),
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
    description: 'The client is unknown or did not prove itself.',
    schema: OAUTH_ERROR,
  });

export function DescribesAuthorize() {
  return applyDecorators(
    query('client_id', 'Id of the client, or the https address of its metadata document.', 'console', true),
    query('response_type', 'Always `code`.', 'code', true),
    query(
      'redirect_uri',
      'Where the browser goes back to; one that the client has registered.',
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
    query('state', 'Comes back unchanged.'),
    query('nonce', 'Comes back in the id token.'),
    query('prompt', '`login` or `consent` to ask again, `none` to never show a page.'),
    query('resource', 'The resource that the token is for (RFC 8707), for example an MCP endpoint.'),
    ApiResponse({ status: 303, description: 'To the sign-in and consent pages, or back to the client.' }),
  );
}

export function DescribesToken() {
  return applyDecorators(
    body(['grant_type'], {
      grant_type: {
        type: 'string',
        enum: ['authorization_code', 'refresh_token'],
        description: 'What is exchanged.',
      },
      code: text('`authorization_code`: the code that the browser brought back.'),
      redirect_uri: text(
        '`authorization_code`: the same as in the authorization request.',
        'http://127.0.0.1:8080/callback',
      ),
      code_verifier: text('`authorization_code`: the text whose SHA-256 was the challenge.'),
      refresh_token: text('`refresh_token`: the latest one; each is good once.'),
      scope: text('`refresh_token`: fewer scopes than before, separated by spaces.'),
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
          expires_in: { type: 'integer', description: 'Seconds until the access token ends.' },
          refresh_token: text('With the scope `offline_access`.'),
          id_token: text('With the scope `openid`.'),
          scope: text('What was granted.'),
        },
        required: ['access_token', 'token_type', 'expires_in'],
      },
    }),
    unproven(),
  );
}

export function DescribesRevocation() {
  return applyDecorators(
    body(['token'], {
      token: text('An access or refresh token of this client.'),
      token_type_hint: text('`access_token` or `refresh_token`.'),
      ...CLIENT,
    }),
    ApiResponse({ status: 200, description: 'Done, or there was nothing to revoke.' }),
    unproven(),
  );
}

export function DescribesIntrospection() {
  return applyDecorators(
    body(['token'], {
      token: text('The token to ask about.'),
      token_type_hint: text('`access_token` or `refresh_token`.'),
      ...CLIENT,
    }),
    ApiResponse({
      status: 200,
      description:
        'Clients ask about their own tokens, first-party clients about all; of any other, `active` is false.',
      schema: {
        type: 'object',
        properties: {
          active: { type: 'boolean', description: 'Whether the token is good.' },
          sub: text('Id of the user.'),
          client_id: text('The client that the token was issued to.'),
          scope: text('What was granted.'),
          exp: { type: 'integer', description: 'Unix seconds after which it is void.' },
        },
        required: ['active'],
      },
    }),
    unproven(),
  );
}

export function DescribesEndSession() {
  return applyDecorators(
    query('id_token_hint', 'An id token that the client has got.'),
    query('client_id', 'Id of the client.'),
    query(
      'post_logout_redirect_uri',
      'Where the browser goes afterwards; one that the client has registered.',
    ),
    query('state', 'Comes back unchanged.'),
    ApiResponse({
      status: 200,
      description: 'The page that asks.',
      content: { 'text/html': { schema: { type: 'string' } } },
    }),
  );
}

export function DescribesRegistration() {
  const metadata = {
    redirect_uris: {
      type: 'array',
      items: { type: 'string' },
      description: 'https, or http on a loopback address.',
      example: ['http://127.0.0.1:8080/callback'],
    },
    client_name: text('Shown to people who are asked for their consent.', 'Reports'),
    token_endpoint_auth_method: text('`none` for clients that cannot keep a secret.', 'none'),
    grant_types: {
      type: 'array',
      items: { type: 'string' },
      example: ['authorization_code', 'refresh_token'],
    },
    scope: text('Scopes that it may ask for, separated by spaces.', 'openid offline_access collections:read'),
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
    ApiResponse({ status: 404, description: 'Clients do not register themselves here.' }),
  );
}
