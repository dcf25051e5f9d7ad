import { t } from '../../i18n/language.js';

export function ChartsPage() {
  return <h1>{t('charts.title')}</h1>;
}
