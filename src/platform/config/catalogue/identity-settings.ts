// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is the syntax of the files that two settings name

import { DAY_SECONDS } from '../../../base/kernel/clock.js';
import {
  arrayFile,
  checkDnsServer,
  checkOrigin,
  checkVerifiedDomain,
  choice,
  form,
  hostEntry,
  integer,
  list,
  origins,
  type Setting,
  url,
} from '../setting.js';

/** Who may sign in and how: tokens, providers, the authorization server, organizations. */
export const IDENTITY_SETTINGS = {
  'Tokens and keys': {
    JWKS_ROTATION_DAYS: integer('days until a signing key is replaced', 30, 1, 3650),
    JWKS_KTY: choice('key type of signing keys', 'RSA', ['RSA', 'EC', 'OKP']),
    JWKS_ALG: choice('signature algorithm', 'RS256', [
      'RS256',
      'RS384',
      'RS512',
      'PS256',
      'PS384',
      'PS512',
      'ES256',
      'ES384',
      'ES512',
      'EdDSA',
    ]),
    JWKS_SIZE: integer('size of RSA keys in bits', 2048, 2048, 8192),
    ACCESS_TOKENS_MAX_AGE: integer('lifetime of a JWT in seconds', 30 * DAY_SECONDS, 60, 366 * DAY_SECONDS),
    TOKEN_EXCHANGE_SINGLE_USE: choice('on: an id_token can be exchanged once; off: until it expires', 'on', [
      'on',
      'off',
    ]),
    WEB_SESSION_TICKET_TTL: integer('lifetime of a web session ticket in seconds', 60, 1, 300),
    WEB_SESSION_TICKET_MAX_TTL: integer(
      'longest lifetime of a ticket that a caller may request, in seconds',
      300,
      1,
      300,
    ),
    WEB_SESSION_ALLOWED_REDIRECT_HOSTS: list(
      'further hosts (or host:port) to which a web session may redirect',
      'app.example.com',
    ),
    PLATFORM_ORIGINS: list(
      'origins of consoles and workspace pages, which may use the cookie',
      'https://console.example.com',
      checkOrigin,
    ),
    CORS_ORIGINS: origins(
      'origins of pages that may call the API with keys and tokens, * for all, none for none; default: loopback origins outside production, none in production',
      'https://app.example.com',
    ),
    PASSKEYS: choice('whether people can sign in with passkeys (WebAuthn)', 'on', ['on', 'off']),
    ANONYMOUS_MAX_IDLE_DAYS: integer(
      'days without use after which an anonymous user is removed',
      30,
      1,
      3650,
    ),
  },
  Mail: {
    MAIL_URL: url(
      'SMTP server that sends invitations, recovery links and codes to sign in. Without it the service sends no mail; outside of production it prints them on the terminal',
      ['smtp:', 'smtps:'],
      'smtps://USER:PASSWORD@smtp.example.com',
    ),
    MAIL_FROM: form(
      'sender of all mails; required with MAIL_URL',
      /^(?:[^<>@\r\n"]{1,100} <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/,
      'an address like no-reply@example.com or Example <no-reply@example.com>',
      'Example <no-reply@example.com>',
    ),
    MAIL_MAX_PER_HOUR: integer('mails that are sent within an hour, by all instances', 1_000, 1, 1_000_000),
    EMAIL_LOGIN: choice(
      'who may sign in with a code by e-mail: signup: people of organizations that admit them (signUp), but no owners and admins; on: everybody who has proven an address; off: nobody',
      'signup',
      ['signup', 'on', 'off'],
    ),
  },
  'Single sign-on': {
    AUTH_PROVIDERS_FILE: arrayFile(
      `file with a JSON array of identity providers; \${NAME} in its texts stands for a variable of the environment`,
      './providers.json',
    ),
    SSO_MAX_PROVIDERS_PER_ORG: integer('identity providers of one organization', 20, 1, 1000),
    ORG_VERIFIED_DOMAINS: list(
      'e-mail domains that organizations have proven to the operator; addresses there claim invitations through the organization’s own providers',
      'acme=acme.example',
      checkVerifiedDomain,
    ),
  },
  'Authorization server': {
    OIDC_DYNAMIC_REGISTRATION: choice(
      'whether clients may register themselves at POST /oidc/reg; loopback: only if PUBLIC_URL is a loopback address, outside production',
      'loopback',
      ['loopback', 'on', 'off'],
    ),
    OIDC_CLIENT_METADATA_DOCUMENTS: choice(
      'whether a client_id may be the https address of the client’s metadata',
      'on',
      ['on', 'off'],
    ),
    OIDC_CLIENTS_FILE: arrayFile(
      `file with a JSON array of the platform’s own clients; \${NAME} in its texts stands for a variable of the environment`,
      './clients.json',
    ),
    OIDC_CLIENT_MAX_IDLE_DAYS: integer(
      'days without use after which a client that registered itself is removed',
      90,
      1,
      3650,
    ),
  },
  'Outgoing requests': {
    OUTBOUND_ALLOW_INSECURE_HOSTS: list(
      'development and tests: hosts (or host:port) that may be called over plain http and at private addresses',
      'localhost:8080',
      hostEntry,
    ),
    DNS_SERVERS: list(
      'name servers for the TXT records of domains, as IP address or address:port; default: those of the system',
      '192.0.2.53:53',
      checkDnsServer,
    ),
  },
  Organizations: {
    ORG_CREATION: choice(
      'who may create an organization: any person, admins (owners and admins of an organization), or off: nobody',
      'any',
      ['any', 'admins', 'off'],
    ),
    ACCESS_TOKENS_MAX_PER_PERSON: integer('access tokens of one person', 1_000, 1, 1_000_000),
    API_KEYS_MAX_PER_ORG: integer(
      'API keys of one organization, those of its collections included',
      10_000,
      1,
      1_000_000,
    ),
    SERVICE_ACCOUNTS_MAX_PER_ORG: integer('service accounts of one organization', 1_000, 1, 1_000_000),
    ROLES_MAX_PER_ORG: integer('roles of one organization', 1_000, 1, 1_000_000),
    GROUPS_MAX_PER_ORG: integer('groups of one organization', 10_000, 1, 1_000_000),
    INVITATIONS_MAX_PER_ORG: integer(
      'invitations of one organization, ended ones included until they are removed',
      10_000,
      1,
      1_000_000,
    ),
    AGENTS_MAX_PER_ORG: integer('agents of one organization', 10_000, 1, 1_000_000),
    WORKSPACES_MAX_PER_ORG: integer('workspaces of one organization', 10_000, 1, 1_000_000),
    COLLECTIONS_MAX_PER_ORG: integer(
      'collections of one organization, those in the trash included',
      10_000,
      1,
      1_000_000,
    ),
    ORG_MAX_PER_PERSON: integer(
      'organizations of which one person is an owner, to create another',
      10_000,
      1,
      1_000_000,
    ),
  },
} satisfies Record<string, Record<string, Setting<unknown>>>;
