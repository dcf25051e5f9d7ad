import { expect, it } from 'vitest';
import { unknownSettings } from './known-settings.js';

it.each([
  ['DATABASE_POOLSIZE', 'DATABASE_POOL_SIZE'],
  ['DATABSE_URL', 'DATABASE_URL'],
  ['BOOTSTRAP_ADMIN_MAIL', 'BOOTSTRAP_ADMIN_EMAIL'],
  ['PUBLICURL', 'PUBLIC_URL'],
  ['RATE_LIMITS_BULK', 'RATE_LIMIT_BULK'],
  ['SECRETS_MASTER_KEY', 'SECRETS_MASTER_KEYS'],
])('warns of %s and suggests %s', (name, meant) => {
  expect(unknownSettings({ [name]: '1' })).toEqual([
    `${name} is not a setting and has no effect. Did you mean ${meant}?`,
  ]);
});

it('warns of a name with a known prefix that resembles no setting', () => {
  expect(unknownSettings({ OIDC_REFRESH_TOKEN_LIFETIME_IN_DAYS: '1' })).toEqual([
    'OIDC_REFRESH_TOKEN_LIFETIME_IN_DAYS is not a setting and has no effect. .env.example lists all settings.',
  ]);
});

it('never repeats a value, which may be a secret', () => {
  expect(unknownSettings({ SECRETS_MASTER_KEY: 'a:hidden' }).join()).not.toContain('hidden');
});

it('ignores known settings and variables of other programs', () => {
  const others = [
    'PATH HOME HOSTNAME HOSTTYPE LANG LOGNAME PWD OLDPWD SHLVL TERM USER TZ SHELL EDITOR LOG_PATH LOGLEVELS_DIR',
    'NODE_OPTIONS NODE_VERSION NODE_PATH NODE_EXTRA_CA_CERTS YARN_VERSION INIT_CWD npm_config_cache npm_lifecycle_event',
    'OTEL_RESOURCE_ATTRIBUTES OTEL_EXPORTER_OTLP_PROTOCOL OTEL_TRACES_SAMPLER_RATIO_HINT OTEL_METRICS_EXPORTER',
    'DATABASE_HOST DATABASE_PASSWORD PGHOST PGPASSWORD POSTGRES_PASSWORD POSTGRES_USER',
    'KUBERNETES_SERVICE_HOST KUBERNETES_PORT_443_TCP MCP_SERVICE_HOST MCP_PORT_80_TCP_ADDR WEBHOOK_SERVICE_PORT_HTTP',
    'GITHUB_ACTIONS RUNNER_TEMP XDG_RUNTIME_DIR SSH_AUTH_SOCK DISPLAY AWS_SECRET_ACCESS_KEY HTTPS_PROXY NO_PROXY',
    'PUBLIC_URL DATABASE_POOL_SIZE BOOTSTRAP_FILE',
  ];
  const environment = Object.fromEntries(others.flatMap(line => line.split(' ')).map(name => [name, 'x']));
  expect(unknownSettings(environment)).toEqual([]);
});
