import { t } from '../../../i18n/language.js';
import { moment } from '../../../values/dates.js';

/** When a secret was used last, in words. */
export function lastUse(lastUsedAt: string | null): string {
  return lastUsedAt === null
    ? t('organization.neverUsed')
    : t('organization.lastUsed', { date: moment(lastUsedAt) });
}
