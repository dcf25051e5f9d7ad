import type { Settings } from '../../../config/settings.js';
import { isMcpPath } from '../../../http/protected-resource.js';
import { issuerOf } from '../../sessions/jwt.js';
import { COLLECTION_SCOPES, ONE_COLLECTION_SCOPES, scopesFor } from '../resources/scopes.js';
import type { DiscoveryView, ProtectedResourceView } from './metadata.view.js';

type DiscoverySettings = Pick<
  Settings,
  'PUBLIC_URL' | 'JWKS_ALG' | 'OIDC_DYNAMIC_REGISTRATION' | 'OIDC_CLIENT_METADATA_DOCUMENTS'
>;

/** The metadata document of the issuer (RFC 8414, OpenID Connect Discovery): what is served, and nothing else. */
export function discovery(settings: DiscoverySettings): DiscoveryView {
  const issuer = issuerOf(settings);
  const clientAuthentication = ['none', 'client_secret_basic', 'client_secret_post'];
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    revocation_endpoint: `${issuer}/token/revocation`,
    introspection_endpoint: `${issuer}/token/introspection`,
    end_session_endpoint: `${issuer}/session/end`,
    ...(settings.OIDC_DYNAMIC_REGISTRATION === 'on' && { registration_endpoint: `${issuer}/reg` }),
    scopes_supported: [...scopesFor({ own: true })],
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'fragment', 'form_post'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
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

/** The document about a protected resource (RFC 9728): who issues the tokens that it takes. */
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
