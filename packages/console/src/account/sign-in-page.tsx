import { t } from '../i18n/language.js';

export function SignInPage() {
  return <h1>{t('common.signIn')}</h1>;
}
