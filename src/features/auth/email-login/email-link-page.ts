import { html, type Page } from '../../../platform/http/html-page.js';
import type { Language } from '../../../platform/http/request-language.js';
import type { Wording } from '../../../platform/mail/mail.js';

interface Words {
  readonly title: string;
  readonly wait: string;
  readonly as: string;
  readonly at: string;
  readonly button: string;
  readonly warning: string;
  readonly dead: string;
}

const WORDS: Wording<Words> = {
  en: {
    title: 'Sign in',
    wait: 'The link is being checked. This page needs JavaScript.',
    as: 'You sign in as',
    at: 'to',
    button: 'Sign in',
    warning: 'Continue only if you asked for this link yourself. It works once, in this browser.',
    dead: 'This link was used already, has expired, or is not complete. Ask for a new one where you wanted to sign in.',
  },
  fr: {
    title: 'Connexion',
    wait: 'Le lien est en cours de vérification. Cette page nécessite JavaScript.',
    as: 'Vous vous connectez en tant que',
    at: 'à',
    button: 'Se connecter',
    warning:
      'Continuez seulement si vous avez demandé ce lien vous-même. Il fonctionne une seule fois, dans ce navigateur.',
    dead: 'Ce lien a déjà été utilisé, a expiré ou est incomplet. Demandez-en un nouveau là où vous vouliez vous connecter.',
  },
};

/**
 * The secret is in the fragment, which browsers send to nobody. The script shows what the link is for. Only the button uses
 * it up, because programs that check mails open links too.
 */
const SCRIPT = `
const link = location.hash.slice(1);
const form = document.querySelector('form');
const state = document.querySelector('#state');
const send = (path, body) => fetch(path, {
  method: 'POST', credentials: 'same-origin', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
});
const fail = () => { form.hidden = true; state.hidden = false; state.textContent = state.dataset.dead; };
let next = '/';
send('/v2/login/email/link', { link }).then(async answer => {
  if (!answer.ok) return fail();
  const shown = await answer.json();
  document.querySelector('#email').textContent = shown.email;
  document.querySelector('#org').textContent = shown.orgName ?? location.host;
  if (shown.redirect) next = shown.redirect;
  state.hidden = true;
  form.hidden = false;
}).catch(fail);
form.addEventListener('submit', event => {
  event.preventDefault();
  form.querySelector('button').disabled = true;
  send('/v2/login/email/verify/session', { link })
    .then(answer => answer.ok ? location.replace(next) : fail()).catch(fail);
});
`;

/** The page that the link of a mail opens. */
export function emailLinkPage(language: Language): Page {
  const words = WORDS[language];
  return {
    title: words.title,
    language,
    script: SCRIPT,
    main: html`<p id="state" role="status" data-dead="${words.dead}">${words.wait}</p>
<form hidden aria-label="${words.title}">
<p>${words.as} <strong id="email"></strong> ${words.at} <strong id="org"></strong>.</p>
<p>${words.warning}</p>
<button class="main" type="submit">${words.button}</button>
</form>`,
  };
}
