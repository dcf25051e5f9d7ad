import { DAY_SECONDS } from '../../../base/kernel/clock.js';
import type { Language } from '../../../platform/http/request-language.js';
import { type Mail, nameInMail, type Wording } from '../../../platform/mail/mail.js';

const WORDING: Wording<(org: string, url: string) => { subject: string; text: string }> = {
  en: (org, url) => ({
    subject: 'Your sign-in link',
    text: `A manager of ${org} made a sign-in link for you. It works once, within 24 hours, and ends all your other sessions:

${url}

If you did not ask for it, ask your organization why they made it.
`,
  }),
  fr: (org, url) => ({
    subject: 'Votre lien de connexion',
    text: `Un responsable de ${org} a créé un lien de connexion pour vous. Il fonctionne une seule fois, pendant 24 heures, et met fin à toutes vos autres sessions :

${url}

Si vous ne l’avez pas demandé, demandez à votre organisation pourquoi il a été créé.
`,
  }),
};

/** The mail with a recovery link. */
export function recoveryMail(
  { to, orgId, orgName, url }: { to: string; orgId: string; orgName: string; url: string },
  language: Language,
): Mail {
  return {
    kind: 'recovery',
    to,
    orgId,
    seconds: DAY_SECONDS,
    ...WORDING[language](nameInMail(orgName), url),
  };
}
