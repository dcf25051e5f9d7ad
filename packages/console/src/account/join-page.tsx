import { t } from '../i18n/language.js';

export function JoinPage() {
  return <h1>{t('common.organization')}</h1>;
}
