import { checkCombinations, isLoopbackHost } from './combinations.js';
import { SETTINGS, type Settings } from './settings.js';

/** A start that cannot go on because of settings; `problems` names each one with its reason. */
export class SettingsError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The settings are not usable:\n${problems.map(problem => `  - ${problem}`).join('\n')}`);
    this.name = 'SettingsError';
  }
}

/** Reads and checks all settings. Throws SettingsError with every problem at once. */
export function loadSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, setting] of Object.values(SETTINGS).flatMap(group => Object.entries(group))) {
    const given = environment[name]?.trim();
    try {
      values[name] =
        given === undefined || given === '' ? setting.fallback : setting.parse(given, environment);
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}`);
    }
  }
  if (problems.length > 0) throw new SettingsError(problems);
  const settings = values as unknown as Settings;
  const publicUrl = (values.PUBLIC_URL as string | undefined)?.replace(/\/+$/, '');
  values.PUBLIC_URL = publicUrl ?? listeningUrl(settings);
  if ((settings.OIDC_DYNAMIC_REGISTRATION as string) === 'loopback') {
    values.OIDC_DYNAMIC_REGISTRATION = isForOneMachine(settings) ? 'on' : 'off';
  }
  const clashes = checkCombinations(settings);
  if (settings.NODE_ENV === 'production' && publicUrl === undefined) {
    clashes.push(
      'PUBLIC_URL is required in production: the address that clients use, like https://api.example.com',
    );
  }
  if (clashes.length > 0) throw new SettingsError(clashes);
  return settings;
}

/** True for a service that only its developer reaches. */
function isForOneMachine({ NODE_ENV, PUBLIC_URL }: Settings): boolean {
  return NODE_ENV !== 'production' && isLoopbackHost(new URL(PUBLIC_URL).hostname);
}

/** The address that the process listens on. Clients cannot call 0.0.0.0, so a process that listens everywhere names loopback. */
export function listeningUrl({ HOST, PORT }: Settings): string {
  const everywhere = ['0.0.0.0', '::'].includes(HOST);
  const host = everywhere ? '127.0.0.1' : HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`;
}
