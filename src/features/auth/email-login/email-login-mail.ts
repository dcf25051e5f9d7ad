import type { Language } from '../../../platform/http/request-language.js';
import type { Mail, Wording } from '../../../platform/mail/mail.js';

interface LoginText {
  readonly to: string;
  readonly code: string;
  readonly link: string;
  /** The organization or the host to which the person signs in. */
  readonly at: string;
}

const WORDING: Wording<(text: LoginText) => { subject: string; text: string }> = {
  en: ({ at, code, link }) => ({
    subject: `Sign in to ${at}`,
    text: `Your code to sign in to ${at}:

    ${code}

Or sign in with this link, in the browser in which you open it:

${link}

Code and link work once, within 10 minutes. Give them to nobody. If you did not want to sign in, ignore this mail.
`,
  }),
  fr: ({ at, code, link }) => ({
    subject: `Connexion à ${at}`,
    text: `Votre code pour vous connecter à ${at} :

    ${code}

Ou connectez-vous avec ce lien, dans le navigateur où vous l’ouvrez :

${link}

Le code et le lien fonctionnent une seule fois, pendant 10 minutes. Ne les donnez à personne. Si vous ne vouliez pas vous connecter, ignorez ce message.
`,
  }),
};

/** The mail with the code and the link of a sign-in. */
export function loginMail(text: LoginText, language: Language, seconds: number): Mail {
  return { kind: 'login', to: text.to, seconds, ...WORDING[language](text) };
}
