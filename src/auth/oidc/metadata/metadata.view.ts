import { ApiProperty } from '@nestjs/swagger';

const ISSUER = 'http://127.0.0.1:3000/oidc';

/** Members that lists of names have in common. */
const Names = (example: string[]) => ApiProperty({ type: [String], example });

export class DiscoveryView {
  @ApiProperty({ description: 'The `iss` of every JWT.', example: ISSUER })
  issuer: string;

  @ApiProperty({ example: `${ISSUER}/auth` })
  authorization_endpoint: string;

  @ApiProperty({ example: `${ISSUER}/token` })
  token_endpoint: string;

  @ApiProperty({ description: 'Where the public keys are.', example: `${ISSUER}/jwks` })
  jwks_uri: string;

  @ApiProperty({ example: `${ISSUER}/token/revocation` })
  revocation_endpoint: string;

  @ApiProperty({ example: `${ISSUER}/token/introspection` })
  introspection_endpoint: string;

  @ApiProperty({ example: `${ISSUER}/session/end` })
  end_session_endpoint: string;

  @ApiProperty({
    description: 'If clients may register themselves.',
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

  @ApiProperty({ description: 'A `client_id` may be the address of the client’s metadata.', example: true })
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

  @ApiProperty({ description: 'RFC 9728, section 4.', type: [String], example: ['http://127.0.0.1:3000'] })
  protected_resources: string[];
}

export class ProtectedResourceView {
  @ApiProperty({ example: 'http://127.0.0.1:3000/v1/mcp' })
  resource: string;

  @Names([ISSUER])
  authorization_servers: string[];

  @Names(['collections:read', 'collections:write', 'collections:manage', 'collections:create'])
  scopes_supported: string[];

  @Names(['header'])
  bearer_methods_supported: string[];

  @ApiProperty({ example: 'http://127.0.0.1:3000/docs' })
  resource_documentation: string;
}
