import type { Settings } from '../../config/settings.js';
import { issuerOf } from '../sessions/jwt.js';
import type { DiscoveryView } from './jwks.view.js';

/** The metadata document of the issuer: only what is served. */
export function discovery(settings: Pick<Settings, 'PUBLIC_URL' | 'JWKS_ALG'>): DiscoveryView {
  const issuer = issuerOf(settings);
  return {
    issuer,
    jwks_uri: `${issuer}/jwks`,
    scopes_supported: ['openid', 'profile', 'email', 'platform'],
    response_types_supported: [],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [settings.JWKS_ALG],
  };
}
