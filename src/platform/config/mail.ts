import type { Settings } from './settings.js';

type MailSettings = Pick<Settings, 'MAIL_URL' | 'NODE_ENV'>;

/**
 * Where mail goes: to the SMTP server of MAIL_URL; without one to the terminal of a developer, and nowhere in production
 * and tests.
 */
export function mailRoute({ MAIL_URL, NODE_ENV }: MailSettings): 'smtp' | 'terminal' | 'nowhere' {
  if (MAIL_URL !== undefined) return 'smtp';
  return NODE_ENV === 'development' ? 'terminal' : 'nowhere';
}

/** Who may sign in by e-mail on this installation: EMAIL_LOGIN, or `off` where there is no mail. */
export function emailLoginFor(
  settings: MailSettings & Pick<Settings, 'EMAIL_LOGIN'>,
): Settings['EMAIL_LOGIN'] {
  return mailRoute(settings) === 'nowhere' ? 'off' : settings.EMAIL_LOGIN;
}
