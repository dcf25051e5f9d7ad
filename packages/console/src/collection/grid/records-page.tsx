import { t } from '../../i18n/language.js';

export function RecordsPage() {
  return <h1>{t('records.title')}</h1>;
}
