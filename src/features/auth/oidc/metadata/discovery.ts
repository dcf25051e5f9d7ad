import { ApiProperty } from '@nestjs/swagger';
import type { Settings } from '../../../../platform/config/settings.js';
import { isMcpPath } from '../../../../platform/http/protected-resource.js';
import { issuerOf } from '../../sessions/jwt.js';
import { COLLECTION_SCOPES, ONE_COLLECTION_SCOPES, scopesFor } from './scopes.js';

const ISSUER = 'http://localhost:3000/oidc';

const Names = (example: string[]) => ApiProperty({ type: [String], example });

export class DiscoveryView {
  @ApiProperty({ description: 'Value of the claim `iss` in every JWT.', example: ISSUER })
  issuer: string;

  @ApiProperty({ example: `${ISSUER}/auth` })
  authorization_endpoint: string;

  @ApiProperty({ example: `${ISSUER}/token` })
  token_endpoint: string;

  @ApiProperty({
    description: 'URL that begins the device flow (RFC 8628).',
    example: `${ISSUER}/device/auth`,
  })
  device_authorization_endpoint: string;

  @ApiProperty({ description: 'URL of the public keys.', example: `${ISSUER}/jwks` })
  jwks_uri: string;

  @ApiProperty({ example: `${ISSUER}/token/revocation` })
  revocation_endpoint: string;

  @ApiProperty({ example: `${ISSUER}/token/introspection` })
  introspection_endpoint: string;

  @ApiProperty({ example: `${ISSUER}/session/end` })
  end_session_endpoint: string;

  @ApiProperty({
    description: 'URL for dynamic client registration. Absent if it is off.',
    example: `${ISSUER}/reg`,
    required: false,
  })
  registration_endpoint?: string;

  @Names(['openid', 'profile', 'email', 'offline_access', 'collections:read', 'platform'])
  scopes_supported: string[];

  @Names(['code'])
  response_types_supported: string[];

  @Names(['query'])
  response_modes_supported: string[];

  @Names(['authorization_code', 'refresh_token'])
  grant_types_supported: string[];

  @Names(['S256'])
  code_challenge_methods_supported: string[];

  @Names(['none'])
  token_endpoint_auth_methods_supported: string[];

  @Names(['none'])
  revocation_endpoint_auth_methods_supported: string[];

  @Names(['none'])
  introspection_endpoint_auth_methods_supported: string[];

  @ApiProperty({ description: 'RFC 9207.', example: true })
  authorization_response_iss_parameter_supported: boolean;

  @ApiProperty({
    description: 'Whether a `client_id` can be the URL of the client’s metadata document.',
    example: true,
  })
  client_id_metadata_document_supported: boolean;

  @Names(['public'])
  subject_types_supported: string[];

  @Names(['RS256'])
  id_token_signing_alg_values_supported: string[];

  @Names(['sub', 'email'])
  claims_supported: string[];

  @ApiProperty({ example: false })
  request_parameter_supported: boolean;

  @ApiProperty({ example: false })
  request_uri_parameter_supported: boolean;

  @ApiProperty({
    description: 'Resources that this server issues tokens for (RFC 9728, section 4).',
    type: [String],
    example: ['http://localhost:3000'],
  })
  protected_resources: string[];
}

export class ProtectedResourceView {
  @ApiProperty({ example: 'http://localhost:3000/v1/mcp' })
  resource: string;

  @Names([ISSUER])
  authorization_servers: string[];

  @Names(['collections:read', 'collections:write', 'collections:manage', 'collections:create'])
  scopes_supported: string[];

  @Names(['header'])
  bearer_methods_supported: string[];

  @ApiProperty({ example: 'http://localhost:3000/docs' })
  resource_documentation: string;
}

/** RFC 8628, section 3.4. */
export const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

type DiscoverySettings = Pick<
  Settings,
  'PUBLIC_URL' | 'JWKS_ALG' | 'OIDC_DYNAMIC_REGISTRATION' | 'OIDC_CLIENT_METADATA_DOCUMENTS'
>;

/** The metadata document of the issuer (RFC 8414, OpenID Connect Discovery). It lists only what this service offers. */
export function discovery(settings: DiscoverySettings): DiscoveryView {
  const issuer = issuerOf(settings);
  const clientAuthentication = ['none', 'client_secret_basic', 'client_secret_post'];
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    device_authorization_endpoint: `${issuer}/device/auth`,
    jwks_uri: `${issuer}/jwks`,
    revocation_endpoint: `${issuer}/token/revocation`,
    introspection_endpoint: `${issuer}/token/introspection`,
    end_session_endpoint: `${issuer}/session/end`,
    ...(settings.OIDC_DYNAMIC_REGISTRATION === 'on' && { registration_endpoint: `${issuer}/reg` }),
    scopes_supported: [...scopesFor({ own: true })],
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'fragment', 'form_post'],
    grant_types_supported: ['authorization_code', 'refresh_token', DEVICE_CODE_GRANT],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: clientAuthentication,
    revocation_endpoint_auth_methods_supported: clientAuthentication,
    introspection_endpoint_auth_methods_supported: clientAuthentication,
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: settings.OIDC_CLIENT_METADATA_DOCUMENTS === 'on',
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [settings.JWKS_ALG],
    claims_supported: [...'sub email email_verified given_name family_name auth_time iss'.split(' ')],
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    protected_resources: ['', '/v1/mcp'].map(path => `${settings.PUBLIC_URL}${path}`),
  };
}

/** The metadata of a protected resource (RFC 9728): the authorization server that issues its tokens. */
export function protectedResource(
  settings: Pick<Settings, 'PUBLIC_URL'>,
  path: string,
): ProtectedResourceView {
  return {
    resource: `${settings.PUBLIC_URL}${path}`,
    authorization_servers: [issuerOf(settings)],
    scopes_supported: [
      ...(isMcpPath(path) && path !== '/v1/mcp' ? ONE_COLLECTION_SCOPES : COLLECTION_SCOPES),
    ],
    bearer_methods_supported: ['header'],
    resource_documentation: `${settings.PUBLIC_URL}/docs`,
  };
}
