import type { api } from '../api/client.js';
import { type Directory, nameIn } from '../api/directory.js';
import { type ApiKey } from '../api/directory-queries.js';
import { hasMessage, t } from '../i18n/language.js';

/** An event of the audit of a collection. */
export type AuditEvent = Awaited<ReturnType<typeof api.collections.listAuditEvents>>['items'][number];

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
  'collections.access.viewed',
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

export type Actor = AuditEvent['actor'];

interface Known {
  readonly directory: Directory | undefined;
  /** The keys of the collection. */
  readonly keys: readonly ApiKey[];
}

/** Who caused an event: the name of a person, an agent or a key, else the kind and the id. */
export function actorName({ directory, keys }: Known, { type, id }: Actor): string {
  if (type === 'user' || type === 'agent') return nameIn(directory, { type, id });
  const key = type === 'key' ? keys.find(each => each.id === id) : undefined;
  return t(`activity.actor_${type}`, { id: key?.name ?? id });
}
