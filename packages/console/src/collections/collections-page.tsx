import { t } from '../i18n/language.js';

export function CollectionsPage() {
  return <h1>{t('collections.title')}</h1>;
}
