import { SetMetadata } from '@nestjs/common';

/** All limits are per minute. A window opens with the first request and lasts this long. */
export const WINDOW_MS = 60_000;

/** Limits per caller, named by their settings. Requests are counted in memory. */
export const CALLER_LIMITS = {
  default: 'RATE_LIMIT_DEFAULT',
  platform: 'RATE_LIMIT_DEFAULT',
  write: 'RATE_LIMIT_WRITE',
  bulk: 'RATE_LIMIT_BULK',
  ask: 'RATE_LIMIT_ASK',
  mcp: 'RATE_LIMIT_MCP',
  'domain-checks': 'RATE_LIMIT_DOMAIN_CHECKS',
  'new-orgs': 'RATE_LIMIT_ORGS',
} as const;

/** Limits per source address. Requests are counted in PostgreSQL, so they are exact over all instances. */
export const SOURCE_LIMITS = {
  anonymous: 'RATE_LIMIT_ANONYMOUS',
  'auth-failures': 'RATE_LIMIT_AUTH_FAILURES',
  authorization: 'RATE_LIMIT_AUTHORIZATION',
  'client-registration': 'RATE_LIMIT_CLIENT_REGISTRATION',
  'device-codes': 'RATE_LIMIT_DEVICE_CODES',
  'email-code': 'RATE_LIMIT_LOGIN',
  'email-link': 'RATE_LIMIT_LOGIN',
  'email-login': 'RATE_LIMIT_EMAIL_LOGIN',
  invitation: 'RATE_LIMIT_LOGIN',
  'invitation-options': 'RATE_LIMIT_LOGIN',
  login: 'RATE_LIMIT_LOGIN',
  'login-callback': 'RATE_LIMIT_LOGIN',
  'login-providers': 'RATE_LIMIT_LOGIN_PROVIDERS',
  'passkey-login': 'RATE_LIMIT_LOGIN',
  'passkey-options': 'RATE_LIMIT_LOGIN',
  recovery: 'RATE_LIMIT_LOGIN',
  'service-account-tokens': 'RATE_LIMIT_SERVICE_ACCOUNT_TOKENS',
  'token-exchange': 'RATE_LIMIT_TOKEN_EXCHANGE',
  'web-session': 'RATE_LIMIT_WEB_SESSION',
} as const;

export type CallerLimit = keyof typeof CALLER_LIMITS;
export type SourceLimit = keyof typeof SOURCE_LIMITS;

export const LIMITED = 'limited';

/**
 * Selects the limit that counts the requests of a route. Without it, routes that need a credential have the default limit:
 * those of collections, and those of the platform, are counted separately.
 */
export function Limited(limit: CallerLimit | SourceLimit): MethodDecorator {
  return SetMetadata(LIMITED, limit);
}
