import { t } from '../i18n/language.js';

export function AccountPage() {
  return <h1>{t('account.title')}</h1>;
}
