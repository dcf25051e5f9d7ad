import { DAY_SECONDS } from '../../../base/kernel/clock.js';
import type { Language } from '../../../platform/http/request-language.js';
import { type Mail, nameInMail, type Wording } from '../../../platform/mail/mail.js';

interface InvitationText {
  readonly to: string;
  readonly orgId: string;
  readonly orgName: string;
  /** With a code: the page where people join. Without: the page where they sign in. */
  readonly url: string;
  readonly hasCode: boolean;
}

const WORDING: Wording<(org: string, url: string, hasCode: boolean) => { subject: string; text: string }> = {
  en: (org, url, hasCode) => ({
    subject: `Invitation to ${org}`,
    text: `You are invited to the organization ${org}.

${hasCode ? 'Open this page to join:' : 'Sign in with this e-mail address to accept the invitation:'}

${url}

If you do not know this organization, ignore this mail.
`,
  }),
  fr: (org, url, hasCode) => ({
    subject: `Invitation à rejoindre ${org}`,
    text: `Vous êtes invité à rejoindre l’organisation ${org}.

${hasCode ? 'Ouvrez cette page pour la rejoindre :' : 'Connectez-vous avec cette adresse e-mail pour accepter l’invitation :'}

${url}

Si vous ne connaissez pas cette organisation, ignorez ce message.
`,
  }),
};

/** The mail to somebody who is invited. */
export function invitationMail(
  { to, orgId, orgName, url, hasCode }: InvitationText,
  language: Language,
): Mail {
  const words = WORDING[language](nameInMail(orgName), url, hasCode);
  return { kind: 'invitation', to, orgId, seconds: DAY_SECONDS, ...words };
}
