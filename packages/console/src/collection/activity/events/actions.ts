import { hasMessage, t } from '../../../i18n/language.js';

/** The types of events of a collection, in the order in which the filter offers them. */
export const ACTIONS = [
  'collections.records.inserted',
  'collections.records.updated',
  'collections.records.upserted',
  'collections.records.deleted',
  'collections.records.written',
  'collections.records.undone',
  'collections.records.restored',
  'collections.records.erased',
  'collections.records.expired',
  'collections.created',
  'collections.updated',
  'collections.deleted',
  'collections.restored',
  'collections.schema.updated',
  'collections.schema.abandoned',
  'collections.indexes.applied',
  'collections.charts.saved',
  'collections.views.created',
  'collections.views.updated',
  'collections.views.deleted',
  'collections.access.granted',
  'collections.access.updated',
  'collections.access.revoked',
  'collections.access.denied',
  'collections.apikeys.created',
  'collections.apikeys.rotated',
  'collections.apikeys.revoked',
  'collections.webhooks.created',
  'collections.webhooks.updated',
  'collections.webhooks.rotated',
  'collections.webhooks.tested',
  'collections.webhooks.redelivered',
  'collections.webhooks.disabled',
  'collections.webhooks.deleted',
] as const;

/** What happened, in words; the type of the event if the console has no words for it. */
export function actionName(type: string): string {
  const key = `activity.${type.replace('collections.', 'did_').replaceAll('.', '_')}`;
  return hasMessage(key) ? t(key) : type;
}
